// Conversions between protobuf's times and Abseil's, whose arithmetic
// saturates.
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

// Clamped to what a Timestamp may hold: years 1 to 9999.
void SetTime(absl::Time time, google::protobuf::Timestamp& target);

// Clamped to what a Duration may hold: 10000 years.
void SetDuration(absl::Duration duration, google::protobuf::Duration& target);

// Whether the message holds a time at all: google/protobuf/timestamp.proto,
// years 1 to 9999.
inline constexpr std::int64_t kFirstSecond = -62'135'596'800;
inline constexpr std::int64_t kLastSecond = 253'402'300'799;
inline constexpr std::int32_t kNanosPerSecond = 1'000'000'000;
inline bool IsValidTime(const google::protobuf::Timestamp& time) {
  return time.seconds() >= kFirstSecond && time.seconds() <= kLastSecond &&
         time.nanos() >= 0 && time.nanos() < kNanosPerSecond;
}

// The year 1, which Go takes for "no time".
inline absl::Time ZeroTime() { return absl::FromUnixSeconds(kFirstSecond); }

// Whether Kubernetes takes the time for absent: Go's year 1, or the epoch, as
// which the zero-length message of a zero time reads. Unlike IsSet() in
// policy/request/kubernetes_codec.h a time just after the year 1 is a time,
// because controllers take it for one: "finished long ago".
inline bool IsZeroTime(const google::protobuf::Timestamp& time) {
  return time.nanos() == 0 &&
         (time.seconds() == 0 || time.seconds() == kFirstSecond);
}

// Whether the message holds a duration at all: google/protobuf/duration.proto.
bool IsValidDuration(const google::protobuf::Duration& duration);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_TIMES_H_
