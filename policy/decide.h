// THE function: one failure in, one verdict out. Read this first.
#ifndef MULLIGAN_POLICY_DECIDE_H_
#define MULLIGAN_POLICY_DECIDE_H_

#include "absl/status/status.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// What a call may use besides its request. All of it outlives the call.
struct DecideOptions {
  // Null: nothing bounds the time of the call, only its steps.
  Watch* watch = nullptr;
  // Null: an inline policy is compiled for this call alone.
  InlinePolicies* inline_policies = nullptr;
};

// Decides `request` under `policies` and fills `response`, which must be
// empty. Pure: same arguments, byte-identical answer; no I/O, no randomness
// (jitter is a hash of the failure's identity), and no clock: `now` only
// replaces an absent report.observed_at, with a warning.
//
// In this order:
//
//   1. bounds, and whose objects these are: those of several workloads are
//      refused (request/validate.h, request/ownership.h);
//   2. which policy (rules/policy_set.h), and whether the ledger is this
//      workload's;
//   3. what the workload's own operator would do, if anybody asks
//      (operators/native.h);
//   4. what happened: cause, situation, attempt (demystify/demystify.h). What
//      is not broken is left alone and leaves the ledger as it was;
//   5. was it told before: the same answer again (budget/failure_id.h); is
//      it of a past attempt: IGNORE;
//   6. earlier attempts that the ledger lacks (verdict/earlier_attempts.h);
//   7. what the history shows (budget/history.h);
//   8. what the policy wants, and what stands against it (verdict/verdict.h);
//   9. answer, explanation, ledger (verdict/answer.h, verdict/verdict.h).
//
// Errors, with nothing charged:
//   INVALID_ARGUMENT     the report is empty, or a field is out of bounds
//                        (Validate in policy/request/validate.h names them
//                        all), or the objects belong to several workloads, or
//                        the policy answers natively and the report has no
//                        object of a known operator
//   FAILED_PRECONDITION  the ledger belongs to another workload UID
//   NOT_FOUND            request.policy names no loaded policy
//   the watch's          it ended the call: deadline, cancellation, cost
absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response,
                    const DecideOptions& options = {});

// Stage one alone, with the signatures of the policy that would decide.
absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response,
                       const DecideOptions& options = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DECIDE_H_
