// The workload of a failure and the policy that decides it.
#ifndef MULLIGAN_POLICY_VERDICT_FAILURE_CONTEXT_H_
#define MULLIGAN_POLICY_VERDICT_FAILURE_CONTEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/answer_part.h"
#include "policy/base/pattern_allowance.h"
#include "policy/native.h"
#include "policy/request/owners.h"
#include "policy/rules/policy_set.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/sanitized_request.h"

namespace mulligan {

// The request, and everything that it points to, must outlive this.
struct FailureContext {
  const v1::DecideRequest& request;
  const Owners& owners;  // of its report
  AnswerPart<v1::WorkloadReference> workload;
  LedgerOwner ledger_owner;
  ChosenPolicy policy;
  google::protobuf::Timestamp observed_at;
  absl::Time now;              // observed_at
  PatternAllowance& patterns;  // for all patterns of the call
  // The verdict of the workload's own operator; empty if not requested, or if
  // the report has no object of a known operator.
  std::optional<NativeOutcome> native = std::nullopt;
  // The policy's budgets with the workload's own limits, if any; else empty.
  std::vector<CompiledBudget> own_budgets = {};
  std::vector<std::string> warnings = {};

  google::protobuf::Arena* arena() const { return workload->GetArena(); }
  const v1::FailureReport& report() const { return owners.report; }
  const CompiledPolicy& compiled() const { return policy.rules->compiled(); }
  const std::vector<CompiledBudget>& budgets() const {
    return own_budgets.empty() ? compiled().budgets : own_budgets;
  }
  // Failed attempts after which no retry is granted; 0 if there is no cap.
  std::int32_t max_attempts() const {
    return own_budgets.empty() || compiled().max_attempts_given
               ? compiled().max_attempts
               : ImpliedMaxAttempts(own_budgets);
  }
  bool explains() const {
    return request.explain() != v1::DecideRequest::EXPLAIN_NONE;
  }
  // Returns whether the policy leaves the decision to the operator.
  bool decides_natively() const {
    const auto& settings = compiled().native;
    return settings != nullptr && settings->decides;
  }
};

// Fails with Decide's errors (policy/decide.h) about policy, ledger and
// operator. `arena` is the answer's, or null.
absl::StatusOr<FailureContext> MakeFailureContext(
    const SanitizedRequest<v1::DecideRequest>& sanitized,
    const PolicySet& policies, InlinePolicies* inline_policies,
    PatternAllowance& patterns, google::protobuf::Arena* arena);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_FAILURE_CONTEXT_H_
