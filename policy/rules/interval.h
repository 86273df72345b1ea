// A range of numbers or durations in a rule's condition.
#ifndef MULLIGAN_POLICY_RULES_INTERVAL_H_
#define MULLIGAN_POLICY_RULES_INTERVAL_H_

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace mulligan {

// The end of an unbounded range.
template <typename Value>
Value Endless() {
  return std::numeric_limits<Value>::max();
}
template <>
inline absl::Duration Endless() {
  return absl::InfiniteDuration();
}

// Both ends are included.
template <typename Value>
struct Interval {
  Value from;
  Value to;

  bool Holds(Value value) const { return from <= value && value <= to; }
  bool Covers(const Interval& other) const {
    return from <= other.from && other.to <= to;
  }
};

// An end or a value, as text.
inline std::string IntervalText(absl::Duration value) {
  return absl::FormatDuration(value);
}
inline std::string IntervalText(std::int32_t value) {
  return absl::StrCat(value);
}
inline std::string IntervalText(double value) {
  return absl::StrFormat("%.3g", value);
}

// Returns for example "0 to 10" or "1 or more".
template <typename Value>
std::string IntervalText(const Interval<Value>& range) {
  return range.to == Endless<Value>()
             ? absl::StrCat(IntervalText(range.from), " or more")
             : absl::StrCat(IntervalText(range.from), " to ",
                            IntervalText(range.to));
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_INTERVAL_H_
