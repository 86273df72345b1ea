#include "policy/operators/rayjob/retry_gate.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace mulligan::rayjob {
namespace {

std::int32_t OneMore(std::int32_t count) {
  return count == std::numeric_limits<std::int32_t>::max() ? count : count + 1;
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
  if (status.failed() >= BackoffLimitOf(spec, settings) + 1) return;
  if (IsNeverRetried(status.reason(), settings)) return;
  status.set_job_deployment_status(std::string(kRetrying));
}

}  // namespace mulligan::rayjob
