// Sets of causes as bits.
#ifndef MULLIGAN_POLICY_RULES_CAUSE_SET_H_
#define MULLIGAN_POLICY_RULES_CAUSE_SET_H_

#include <cstdint>
#include <initializer_list>

#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan {

// A set of values of an enum whose numbers fit 64 bits.
template <typename Value>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Value> values) {
    for (const Value value : values) Add(value);
  }

  static constexpr EnumSet All() {
    EnumSet all;
    all.bits_ = ~std::uint64_t{0};
    return all;
  }

  constexpr void Add(Value value) {
    const int number = static_cast<int>(value);
    if (number >= 0 && number < 64) bits_ |= std::uint64_t{1} << number;
  }

  constexpr bool Contains(Value value) const {
    const int number = static_cast<int>(value);
    return number >= 0 && number < 64 && ((bits_ >> number) & 1);
  }

  constexpr bool empty() const { return bits_ == 0; }

  // Whether every value of `other` is in this set.
  constexpr bool Covers(EnumSet other) const {
    return (other.bits_ & ~bits_) == 0;
  }

  constexpr EnumSet And(EnumSet other) const {
    other.bits_ &= bits_;
    return other;
  }

  constexpr EnumSet Or(EnumSet other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  std::uint64_t bits_ = 0;
};

using CauseSet = EnumSet<v1::Cause>;

// What has not failed, or not in this attempt: no rule decides about it.
inline constexpr CauseSet kNoFailures = {v1::STALE_REPORT, v1::NOT_FAILED,
                                         v1::SUCCEEDED, v1::CANCELLED,
                                         v1::SUSPENDED};

using DerivedCauseSet = EnumSet<v1::DerivedCause>;

using DomainSet = EnumSet<v1::Diagnosis::FaultDomain>;
using OutlookSet = EnumSet<v1::Diagnosis::Outlook>;

static_assert(v1::Cause_MAX < 64 && v1::DerivedCause_MAX < 64 &&
              v1::Diagnosis::FaultDomain_MAX < 64 &&
              v1::Diagnosis::Outlook_MAX < 64);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_CAUSE_SET_H_
