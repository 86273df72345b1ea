// Conversions between protobuf's times and Abseil's saturating ones.
#ifndef MULLIGAN_POLICY_BASE_TIMES_H_
#define MULLIGAN_POLICY_BASE_TIMES_H_

#include <cstdint>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan {

inline absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

inline absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) +
         absl::Nanoseconds(duration.nanos());
}

// Clamps to the range of a Timestamp: years 1 to 9999.
void SetTime(absl::Time time, google::protobuf::Timestamp& target);

// Clamps to the range of a Duration: 10000 years.
void SetDuration(absl::Duration duration, google::protobuf::Duration& target);

// Range of google/protobuf/timestamp.proto: years 1 to 9999.
inline constexpr std::int64_t kFirstSecond = -62'135'596'800;
inline constexpr std::int64_t kLastSecond = 253'402'300'799;
inline constexpr std::int32_t kNanosPerSecond = 1'000'000'000;
inline bool IsValidTime(const google::protobuf::Timestamp& time) {
  return time.seconds() >= kFirstSecond && time.seconds() <= kLastSecond &&
         time.nanos() >= 0 && time.nanos() < kNanosPerSecond;
}

// Year 1, Go's zero time.
inline absl::Time ZeroTime() { return absl::FromUnixSeconds(kFirstSecond); }

// Returns whether Kubernetes treats the time as absent: Go's year 1, or the
// epoch, which a zero-length message decodes to. Unlike IsSet() in
// policy/request/kubernetes_codec.h, a time just after year 1 is present:
// controllers take it as "finished long ago".
inline bool IsZeroTime(const google::protobuf::Timestamp& time) {
  return time.nanos() == 0 &&
         (time.seconds() == 0 || time.seconds() == kFirstSecond);
}

// Returns whether the duration is in the range of
// google/protobuf/duration.proto.
bool IsValidDuration(const google::protobuf::Duration& duration);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_TIMES_H_
