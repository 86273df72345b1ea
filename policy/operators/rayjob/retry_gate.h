// The one place where KubeRay decides about a retry.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_RETRY_GATE_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_RETRY_GATE_H_

#include <cstdint>
#include <string_view>

#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// Whether a failure for this reason is final whatever backoffLimit says:
// DeadlineExceeded and, since 1.7, JobStatusCheckTimeoutExceeded.
bool IsNeverRetried(std::string_view reason, const Settings& settings);

// spec.backoffLimit: retries, so that n allows n+1 attempts. 0 when it is
// absent, or not known to the release.
std::int64_t BackoffLimitOf(const RayJobSpec& spec, const Settings& settings);

// Counts the attempt that just ended and turns Failed into Retrying where a
// retry is left. To be applied once per pass, right before the status is
// written: it counts again whenever it is called in a terminal state. Sums have
// 32 bits, as the peer's.
void ApplyRetryGate(const RayJobSpec& spec, const Settings& settings,
                    RayJobStatus& status);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_RETRY_GATE_H_
