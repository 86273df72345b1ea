// One pass of the RayJob controller.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_

#include <cstdint>
#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/rayjob/report.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::rayjob {

// The input of a pass, from the report. Ray's dashboard is taken to answer what
// the status has, or not at all if the status says so.
struct Observed {
  const ReportedRayJob& reported;
  const Settings& settings;
  // Validation errors of the job, in KubeRay's order.
  const FieldErrors& refusals;
  google::protobuf::Timestamp now;
  bool head_is_gone = false;

  const RayJob& job() const { return reported.job; }
};

// Returns the status stored after the pass. A change of message or reason alone
// is not stored.
RayJobStatus StatusAfterPass(const Observed& observed);

// Returns whether the operator ignores the job, because another controller
// manages it or it is being deleted.
bool IsLeftAlone(const RayJob& job);

// KubeRay's only retry decision: counts the attempt that just ended and turns
// Failed into Retrying if a retry is left. REQUIRES: called once per pass,
// right before the status is written, because each call in a terminal state
// counts again. Sums have 32 bits, as in KubeRay.
void ApplyRetryGate(const RayJobSpec& spec, const Settings& settings,
                    RayJobStatus& status);

// Returns whether a failure for this reason is final regardless of
// backoffLimit: DeadlineExceeded and, since 1.7, JobStatusCheckTimeoutExceeded.
bool IsNeverRetried(std::string_view reason, const Settings& settings);

// Returns spec.backoffLimit: n retries allow n+1 attempts. 0 if absent or if
// the release does not know it.
std::int64_t BackoffLimitOf(const RayJobSpec& spec, const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_
