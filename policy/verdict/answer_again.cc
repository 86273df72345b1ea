#include "policy/verdict/answer_again.h"

#include <algorithm>
#include <optional>

#include "policy/base/times.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/verdict/answer.h"

namespace mulligan {

std::optional<absl::Time> GoneAt(const Call& call) {
  if (!IsSet(call.findings.gone_at)) return std::nullopt;
  return ToTime(call.findings.gone_at);
}

void AnswerAgain(Call& call, const v1::AttemptRecord& record) {
  const CompiledPolicy& policy = call.compiled();
  v1::Decision& decision = *call.response.mutable_decision();
  decision = record.decision();
  if (decision.has_retry_after() && record.has_observed_at()) {
    const absl::Duration elapsed =
        std::max(call.now - ToTime(record.observed_at()), absl::ZeroDuration());
    const absl::Duration stopping = GoneAt(call).value_or(call.now) - call.now;
    SetDuration(std::max({ToDuration(decision.retry_after()) - elapsed,
                          stopping, absl::ZeroDuration()}),
                *decision.mutable_retry_after());
  }
  FillTexts(call.diagnosis(), record, decision);
  v1::Accounting& accounting = *call.response.mutable_accounting();
  ReportAccounts(Accounts(policy.budgets, call.ledger(), call.now), accounting);
  accounting.set_attempts(call.ledger().attempts_seen());
  accounting.set_max_attempts(policy.max_attempts);
  accounting.set_duplicate(true);
  FillExhaustion(record, accounting);
  if (record.cause() != call.diagnosis().cause()) {
    call.Warn("this failure was decided before as " +
              v1::Cause_Name(record.cause()) + ", and stays decided");
  }
  if (call.request.explain() == v1::DecideRequest::EXPLAIN_NONE) return;
  v1::Explanation& explanation = *call.response.mutable_explanation();
  explanation.mutable_matched_rule()->set_policy(call.policy.rules->name());
  explanation.set_decided_by(v1::Explanation::DUPLICATE);
}

}  // namespace mulligan
