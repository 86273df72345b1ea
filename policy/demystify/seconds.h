// Times as evidence: whole seconds, because that is the resolution of the
// Kubernetes fields that are compared.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SECONDS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SECONDS_H_

#include <cstdint>
#include <limits>

#include "google/protobuf/timestamp.pb.h"

namespace mulligan::demystify {

using Seconds = std::int64_t;

inline constexpr Seconds kUnknownTime = std::numeric_limits<Seconds>::min();

// Clocks of nodes and controllers may differ by this much before an order of
// events between two machines means anything.
inline constexpr Seconds kClockSkew = 10;

// A lost node is marked after its grace period (40 to 50 seconds), its pods
// after the five minutes that they tolerate it; their peers fail at once.
inline constexpr Seconds kNodeLossSeenAfter = 360;

// End of the year 9999, the last time a Timestamp may name: keeps sums of
// times and delays far from overflow.
inline constexpr Seconds kLastTime = 253402300799;

// Kubernetes writes "no time" as the zero time, which reads as the epoch.
inline Seconds ToSeconds(const google::protobuf::Timestamp& time) {
  if (time.seconds() <= 0) return kUnknownTime;
  return time.seconds() < kLastTime ? time.seconds() : kLastTime;
}

inline bool Known(Seconds time) { return time != kUnknownTime; }

// Both known, and strictly before: a tie is no order.
inline bool Before(Seconds a, Seconds b) {
  return Known(a) && Known(b) && a < b;
}

inline Seconds Earlier(Seconds a, Seconds b) {
  if (!Known(a)) return b;
  if (!Known(b)) return a;
  return a < b ? a : b;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SECONDS_H_
