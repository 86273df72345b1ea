// Sets of causes and fault domains as bits.
#ifndef MULLIGAN_POLICY_RULES_CAUSE_SET_H_
#define MULLIGAN_POLICY_RULES_CAUSE_SET_H_

#include <cstdint>

#include "mulligan/v1/cause.pb.h"

namespace mulligan {

// Causes of a failure at hand have numbers below this, derived ones start at
// kFirstDerivedCause (cause.proto).
inline constexpr int kCauseBits = 64;
inline constexpr int kFirstDerivedCause = 101;

inline bool IsDerivedCause(v1::Cause cause) {
  return cause >= kFirstDerivedCause;
}

// A set of v1::Cause values. Derived causes and plain ones are disjoint.
class CauseSet {
 public:
  constexpr CauseSet() = default;

  static constexpr CauseSet All() {
    CauseSet all;
    all.plain_ = ~std::uint64_t{0};
    all.derived_ = ~std::uint32_t{0};
    return all;
  }

  constexpr void Add(v1::Cause cause) {
    const int number = static_cast<int>(cause);
    if (number >= kFirstDerivedCause && number < kFirstDerivedCause + 32) {
      derived_ |= std::uint32_t{1} << (number - kFirstDerivedCause);
    } else if (number >= 0 && number < kCauseBits) {
      plain_ |= std::uint64_t{1} << number;
    }
  }

  constexpr bool Contains(v1::Cause cause) const {
    const int number = static_cast<int>(cause);
    if (number >= kFirstDerivedCause && number < kFirstDerivedCause + 32) {
      return (derived_ >> (number - kFirstDerivedCause)) & 1;
    }
    return number >= 0 && number < kCauseBits && ((plain_ >> number) & 1);
  }

  constexpr bool empty() const { return plain_ == 0 && derived_ == 0; }

  // Whether every cause of `other` is in this set.
  constexpr bool Covers(CauseSet other) const {
    return (other.plain_ & ~plain_) == 0 && (other.derived_ & ~derived_) == 0;
  }

  constexpr CauseSet And(CauseSet other) const {
    other.plain_ &= plain_;
    other.derived_ &= derived_;
    return other;
  }

  constexpr CauseSet Or(CauseSet other) const {
    other.plain_ |= plain_;
    other.derived_ |= derived_;
    return other;
  }

 private:
  std::uint64_t plain_ = 0;
  std::uint32_t derived_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_CAUSE_SET_H_
