#include "policy/operators/job/backoff.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/job/finish_time.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {

BackoffRecord NextBackoffRecord(const BackoffRecord& previous,
                                const std::vector<absl::Time>& succeeded,
                                std::vector<absl::Time> failed) {
  BackoffRecord next = previous;
  if (!succeeded.empty()) {
    next = BackoffRecord();
    const absl::Time latest =
        *std::max_element(succeeded.begin(), succeeded.end());
    std::erase_if(failed, [&](absl::Time time) { return time <= latest; });
  }
  if (failed.empty()) return next;
  next.failures_after_last_success += static_cast<std::int64_t>(failed.size());
  next.last_failure = *std::max_element(failed.begin(), failed.end());
  return next;
}

absl::Duration RemainingBackoff(std::int64_t failures,
                                std::optional<absl::Time> last_failure,
                                absl::Time now,
                                const BackoffSettings& settings) {
  if (failures <= 0 || !last_failure.has_value()) return absl::ZeroDuration();
  absl::Duration delay = settings.base;
  for (std::int64_t i = 1; i < failures; ++i) {
    delay *= 2;
    if (delay >= settings.cap) {
      delay = settings.cap;
      break;
    }
  }
  return std::max(absl::ZeroDuration(), delay - (now - *last_failure));
}

absl::Duration RemainingIndexBackoff(const Pod* last_failed_pod, absl::Time now,
                                     const Gates& gates,
                                     const BackoffSettings& settings) {
  if (last_failed_pod == nullptr) return absl::ZeroDuration();
  return RemainingBackoff(IndexAbsoluteFailureCount(*last_failed_pod) + 1,
                          FinishTime(*last_failed_pod, gates), now, settings);
}

IndexesToCreate ReadyIndexes(
    const std::vector<std::int64_t>& wanted,
    const std::map<std::int64_t, const Pod*>& last_failed_pods, absl::Time now,
    const Gates& gates, const BackoffSettings& settings) {
  IndexesToCreate result;
  absl::Duration shortest = absl::InfiniteDuration();
  for (const std::int64_t index : wanted) {
    const auto pod = last_failed_pods.find(index);
    const absl::Duration delay = RemainingIndexBackoff(
        pod == last_failed_pods.end() ? nullptr : pod->second, now, gates,
        settings);
    if (delay == absl::ZeroDuration()) result.now.push_back(index);
    shortest = std::min(shortest, delay);
  }
  if (result.now.empty() && !wanted.empty()) result.delay = shortest;
  return result;
}

}  // namespace mulligan::job
