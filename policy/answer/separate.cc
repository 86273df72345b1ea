#include "policy/answer/separate.h"

#include "policy/answer/diagnosis_writer.h"
#include "policy/answer/parts.h"
#include "policy/budget/ledger.h"

namespace mulligan {
namespace {

bool EndsWhole(const v1::Decision& decision) {
  return IsOfWhole(decision) &&
         (decision.action() == v1::Decision::FAIL ||
          decision.action() == v1::Decision::WAIT_FOR_SPEC_UPDATE);
}

// Of what the end of the whole ends, too. Where the indexes of a Job failed,
// one that is started again with the whole Job has a story of its own.
bool IsEndedWithWhole(const v1::AttemptRecord& record) {
  return record.decision().action() == v1::Decision::RETRY &&
         (record.part().empty() || !IsOfWhole(record.decision()));
}

}  // namespace

// What the parts were charged stays charged.
void GiveUpTogether(const std::vector<OpenFailure>& open,
                    const std::string& failure_id,
                    v1::DecideResponse& response) {
  v1::BudgetLedger& ledger = *response.mutable_ledger();
  v1::Decision end = response.decision();
  for (const OpenFailure& part : open) {
    const v1::Decision& decision = ledger.history(part.record).decision();
    if (!EndsWhole(end) && EndsWhole(decision)) end = decision;
  }
  if (!EndsWhole(end)) return;
  for (const OpenFailure& part : open) {
    v1::AttemptRecord& record = *ledger.mutable_history(part.record);
    if (IsEndedWithWhole(record)) *record.mutable_decision() = end;
  }
  const int own = FindFailure(ledger, failure_id);
  if (own < 0 || !IsEndedWithWhole(ledger.history(own))) return;
  *ledger.mutable_history(own)->mutable_decision() = end;
  *response.mutable_decision() = end;
  response.add_warnings(
      "another failure of the report, in separate, ends the whole workload: "
      "nothing of it is retried");
}

void FillSeparate(const Situated& at, const Findings& findings,
                  const std::vector<OpenFailure>& open,
                  v1::DecideResponse& response) {
  const Detail detail = at.explains() ? Detail::kSummary : Detail::kCodes;
  for (const OpenFailure& one : open) {
    const v1::AttemptRecord& record = response.ledger().history(one.record);
    v1::SeparateFailure& separate = *response.add_separate();
    WriteDiagnosis(findings, *one.failure, detail,
                   *separate.mutable_diagnosis());
    *separate.mutable_decision() = record.decision();
    if (at.explains()) {
      FillTexts(separate.diagnosis(), record, *separate.mutable_decision());
    }
    separate.set_charged_to(record.charged_to());
    separate.set_duplicate(one.duplicate);
    separate.set_failure_id(one.id);
  }
}

}  // namespace mulligan
