#include "policy/base/times.h"

#include <algorithm>
#include <cstdint>

namespace mulligan {
namespace {

// The bound in google/protobuf/duration.proto.
constexpr std::int64_t kMaxSeconds = 315'576'000'000;

}  // namespace

void SetTime(absl::Time time, google::protobuf::Timestamp& target) {
  time = std::clamp(time, absl::FromUnixSeconds(kFirstSecond),
                    absl::FromUnixSeconds(kLastSecond));
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  target.set_seconds(seconds);
  target.set_nanos(static_cast<std::int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

void SetDuration(absl::Duration duration, google::protobuf::Duration& target) {
  duration = std::clamp(duration, -absl::Seconds(kMaxSeconds),
                        absl::Seconds(kMaxSeconds));
  const std::int64_t seconds = absl::ToInt64Seconds(duration);
  target.set_seconds(seconds);
  target.set_nanos(static_cast<std::int32_t>(
      absl::ToInt64Nanoseconds(duration - absl::Seconds(seconds))));
}

bool IsValidDuration(const google::protobuf::Duration& duration) {
  const std::int64_t seconds = duration.seconds();
  const std::int32_t nanos = duration.nanos();
  return seconds >= -kMaxSeconds && seconds <= kMaxSeconds &&
         nanos > -kNanosPerSecond && nanos < kNanosPerSecond &&
         !(seconds > 0 && nanos < 0) && !(seconds < 0 && nanos > 0);
}

}  // namespace mulligan
