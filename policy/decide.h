// The entry point: takes one failure and returns one verdict. Read this first.
#ifndef MULLIGAN_POLICY_DECIDE_H_
#define MULLIGAN_POLICY_DECIDE_H_

#include "absl/status/status.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Optional inputs of a call. The pointees must outlive the call.
struct DecideOptions {
  // If null, only the step count bounds the call, not its time.
  Watch* watch = nullptr;
  // If null, an inline policy is compiled for this call alone.
  InlinePolicies* inline_policies = nullptr;
};

// Decides `request` under `policies` and fills `response`.
// REQUIRES: `response` is empty.
//
// Pure: the same arguments give a byte-identical answer. There is no I/O, no
// clock and no randomness (jitter is a hash of the failure's identity). `now`
// only replaces an absent report.observed_at, with a warning.
//
// Each stage makes a value from the earlier ones (policy/verdict/). Only the
// last step writes into the response:
//
//   1. SanitizedRequest: checks the bounds (request/validate.h), leaves out
//      objects of other workloads and duplicates, and puts all times on one
//      clock.
//   2. FailureContext: finds the workload and its policy (rules/policy_set.h),
//      checks that the ledger belongs to it, and, if asked, computes what its
//      own operator would do (native.h).
//   3. Diagnosed: finds the failures of the report, each with cause, situation
//      and attempt (demystify/failure.h), and the id of the current one
//      (budget/failure_id.h).
//   4. LedgerState: reads the ledger before this failure, adds earlier attempts
//      that it lacks (verdict/earlier_attempts.h), and says whether the failure
//      is new, already reported or past. If nothing is broken, it records only
//      failures that others retry, if any. Fleet and history may then refine
//      the cause (budget/history.h).
//   5. Priced: what the policy wants, what prevents it, and who pays
//      (verdict/verdict.h).
//   6. Decided: the parts of the answer, including the ledger after this
//      failure. They come from the failure's record, the operator or the price.
//   7. Written (answer/answer.h): codes and numbers, and explanations (words/)
//      unless request.explain is NONE.
//
// Errors, with nothing charged:
//   INVALID_ARGUMENT     the report is empty; a field is out of bounds
//                        (Validate in policy/request/validate.h names them
//                        all); the objects belong to several workloads; or the
//                        policy answers natively and the report has no object
//                        of a known operator
//   FAILED_PRECONDITION  the ledger belongs to another workload UID
//   NOT_FOUND            request.policy names no loaded policy
//   (the watch's)        the watch ended the call: deadline, cancellation, cost
absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response,
                    const DecideOptions& options = {});

// Fills `response` with the diagnosis alone. Uses the signatures of the policy
// that would decide.
absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response,
                       const DecideOptions& options = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DECIDE_H_
