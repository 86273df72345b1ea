#include "policy/decide.h"

#include <utility>

#include "policy/answer/answer.h"
#include "policy/answer/decided.h"
#include "policy/base/warnings.h"
#include "policy/demystify/demystify.h"
#include "policy/native.h"
#include "policy/request/owners.h"
#include "policy/request/refusal.h"
#include "policy/request/validate.h"
#include "policy/request/workload.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"
#include "policy/verdict/ledger_state.h"
#include "policy/verdict/sanitized_request.h"

namespace mulligan {

absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response,
                    const DecideOptions& options) {
  const Owners owners(request.report());
  if (absl::Status status = RefuseViolations(Validate(request, owners));
      !status.ok()) {
    return status;
  }
  PatternAllowance patterns(kMaxPatternSteps, options.watch);
  const SanitizedRequest sanitized(request, owners, now);
  absl::StatusOr<FailureContext> at =
      MakeFailureContext(sanitized, policies, options.inline_policies, patterns,
                         response.GetArena());
  if (!at.ok()) return at.status();
  Diagnosed diagnosed = Diagnose(*at);
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  LedgerState before = ReadLedgerState(*at, diagnosed);
  Compare(*at, before, diagnosed);
  Decided decided = DecideOn(*at, diagnosed, std::move(before));
  // A result found under a watch that ended the call may be wrong.
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  WriteAnswer(sanitized, *at, diagnosed, std::move(decided), response);
  return absl::OkStatus();
}

absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response,
                       const DecideOptions& call_options) {
  const Owners as_sent(request.report());
  if (absl::Status status = RefuseViolations(Validate(request, as_sent));
      !status.ok()) {
    return status;
  }
  const SanitizedRequest sanitized(request, as_sent, now);
  const Owners& owners = sanitized.owners();
  const v1::WorkloadReference workload = WorkloadOf(owners);
  const absl::StatusOr<ChosenPolicy> policy =
      ChoosePolicy(request, workload, policies, call_options.inline_policies);
  if (!policy.ok()) return policy.status();
  DemystifyOptions options;
  options.now = sanitized.observed_at();
  options.signatures = policy->rules->compiled().signatures.get();
  PatternAllowance patterns(kMaxPatternSteps, call_options.watch);
  options.patterns = &patterns;
  const v1::BudgetLedger no_ledger;
  options.operator_retries = [&](int pod) {
    return RetriesByItself(
        {sanitized.report(), no_ledger, v1::NativeSemantics::default_instance(),
         sanitized.observed_at(), &patterns},
        pod);
  };
  const Findings findings = Demystify(owners, options);
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  WriteAnswer(sanitized, owners, workload, *policy, findings, response);
  if (patterns.used_up()) response.add_warnings(kPatternsUsedUp);
  return absl::OkStatus();
}

}  // namespace mulligan
