#include "policy/answer/separate.h"

#include <algorithm>

#include "policy/answer/diagnosis_writer.h"
#include "policy/answer/parts.h"
#include "policy/budget/ledger.h"
#include "policy/request/workload.h"

namespace mulligan {
namespace {

bool EndsWhole(const v1::Decision& decision) {
  return IsOfWhole(decision) &&
         (decision.action() == v1::Decision::FAIL ||
          decision.action() == v1::Decision::WAIT_FOR_SPEC_UPDATE);
}

bool IsGranted(const v1::Decision& decision) {
  return decision.action() == v1::Decision::RETRY;
}

struct PartDecision {
  v1::Decision* decision;
  bool part;
};

// Applies the rules of AgreeOnWhole; the second one only if `parts_end_alone`.
void Agree(const std::vector<PartDecision>& all, bool parts_end_alone) {
  const bool granted = std::ranges::any_of(
      all, [](const PartDecision& one) { return IsGranted(*one.decision); });
  if (!granted) return;
  v1::Decision end;
  for (const PartDecision& one : all) {
    if (!EndsWhole(*one.decision)) continue;
    if (parts_end_alone && one.part) {
      one.decision->set_scope(v1::Decision::INDEX);
    } else {
      end = *one.decision;
    }
  }
  if (!EndsWhole(end)) return;
  for (const PartDecision& one : all) {
    if (IsGranted(*one.decision)) *one.decision = end;
  }
}

}  // namespace

void AgreeOnWhole(const FailureContext& at,
                  const std::vector<OpenFailure>& open,
                  const std::string& failure_id, v1::DecideResponse& response) {
  if (open.empty()) return;
  v1::BudgetLedger& ledger = *response.mutable_ledger();
  v1::Decision& decision = *response.mutable_decision();
  const int own = FindFailure(ledger, failure_id);
  std::vector<PartDecision> all = {
      {&decision, own >= 0 && !ledger.history(own).part().empty()}};
  for (const OpenFailure& one : open) {
    v1::AttemptRecord& record = *ledger.mutable_history(one.record);
    all.push_back({record.mutable_decision(), !record.part().empty()});
  }
  const bool granted = IsGranted(decision);
  const v1::Decision::Scope scope = decision.scope();
  Agree(all, LimitsEachIndex(at.report(), *at.workload));
  if (granted && !IsGranted(decision)) {
    response.add_warnings(
        "another failure of the report, in separate, ends the whole workload: "
        "nothing of it is retried");
  } else if (decision.scope() == scope) {
    return;
  }
  if (own >= 0) *ledger.mutable_history(own)->mutable_decision() = decision;
}

void FillSeparate(const FailureContext& at, const Findings& findings,
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
      FillTexts(separate.diagnosis(), record, v1::Stake::default_instance(),
                *separate.mutable_decision());
    }
    separate.set_charged_to(record.charged_to());
    separate.set_duplicate(one.duplicate);
    separate.set_failure_id(one.id);
  }
}

}  // namespace mulligan
