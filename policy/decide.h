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
// Each stage makes a value of those before it (policy/verdict/), and nothing is
// written into the response before the last one (policy/answer/):
//
//   received   within bounds (request/validate.h); objects of other workloads
//              left out, each object once, all times by one clock
//   situated   whose failure it is, which policy decides (rules/policy_set.h),
//              that the ledger is this workload's, and what the workload's own
//              operator would do, if anybody asks (native.h)
//   diagnosed  what happened: the failures of the report, each with cause,
//              situation and attempt (demystify/failure.h), and what the one at
//              hand is called (budget/failure_id.h)
//   recalled   the ledger before this failure, with earlier attempts that it
//              lacked (verdict/earlier_attempts.h), and how the failure stands
//              in it: new, told before, past. What is not broken leaves it as
//              it was. The failure then has what fleet and history show
//              beyond one failure (budget/history.h)
//   priced     what the policy wants, what stands against it, who pays
//              (verdict/verdict.h)
//   decided    the parts of the answer, the ledger after this failure among
//              them: by the record that the failure has, by the operator, or
//              by the price
//
// Then the answer is written (answer/answer.h): codes and numbers, and unless
// request.explain is NONE what people read of it (words/).
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

// The diagnosis alone, with the signatures of the policy that would decide.
absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response,
                       const DecideOptions& options = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DECIDE_H_
