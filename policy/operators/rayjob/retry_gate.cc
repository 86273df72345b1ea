#include "policy/operators/rayjob/retry_gate.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan::rayjob {
namespace {

// As the peer's sums of 32 bits do: a backoffLimit of 2147483647 is never above
// any count.
std::int32_t OneMore(std::int64_t number) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) + 1));
}

}  // namespace

bool IsNeverRetried(std::string_view reason, const Settings& settings) {
  return reason == kDeadlineExceeded || (settings.status_check_timeout &&
                                         reason == kStatusCheckTimeoutExceeded);
}

std::int64_t BackoffLimitOf(const RayJobSpec& spec, const Settings& settings) {
  return settings.backoff_limit ? spec.backoff_limit() : 0;
}

void ApplyRetryGate(const RayJobSpec& spec, const Settings& settings,
                    RayJobStatus& status) {
  const bool failed = status.job_deployment_status() == kFailed;
  const bool succeeded = status.job_deployment_status() == kComplete &&
                         status.job_status() == kJobSucceeded;
  status.set_failed(failed ? OneMore(status.failed()) : status.failed());
  status.set_succeeded(succeeded ? OneMore(status.succeeded())
                                 : status.succeeded());
  if (!failed || !spec.has_backoff_limit()) return;
  if (status.failed() >= OneMore(BackoffLimitOf(spec, settings))) return;
  if (IsNeverRetried(status.reason(), settings)) return;
  status.set_job_deployment_status(std::string(kRetrying));
}

}  // namespace mulligan::rayjob
