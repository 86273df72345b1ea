// What the RayJob controller does next: one pass over the RayJob.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_

#include <cstdint>
#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/rayjob/report.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::rayjob {

// What a pass looks at, from the report. Ray's dashboard says what the status
// has; it does not answer where the status says that.
struct Observed {
  const ReportedRayJob& reported;
  const Settings& settings;
  // What is refused about the job, in KubeRay's order.
  const FieldErrors& refusals;
  google::protobuf::Timestamp now;
  bool head_is_gone = false;

  const RayJob& job() const { return reported.job; }
};

// The status as it is stored after the pass. A message or reason that changes
// alone is not stored.
RayJobStatus StatusAfterPass(const Observed& observed);

// Managed by another controller, or being deleted: the operator does not look
// at it.
bool IsLeftAlone(const RayJob& job);

// The one place where KubeRay decides about a retry: counts the attempt that
// just ended and turns Failed into Retrying where a retry is left. To be
// applied once per pass, right before the status is written: it counts again
// whenever it is called in a terminal state. Sums have 32 bits, as the peer's.
void ApplyRetryGate(const RayJobSpec& spec, const Settings& settings,
                    RayJobStatus& status);

// Whether a failure for this reason is final whatever backoffLimit says:
// DeadlineExceeded and, since 1.7, JobStatusCheckTimeoutExceeded.
bool IsNeverRetried(std::string_view reason, const Settings& settings);

// spec.backoffLimit: retries, so that n allows n+1 attempts. 0 when it is
// absent, or not known to the release.
std::int64_t BackoffLimitOf(const RayJobSpec& spec, const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_DECISION_H_
