// The compiled conditions of a rule and their evaluation.
#ifndef MULLIGAN_POLICY_RULES_PREDICATES_H_
#define MULLIGAN_POLICY_RULES_PREDICATES_H_

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"
#include "policy/rules/interval.h"

namespace mulligan {

// A set of enum values whose numbers are below 64.
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

  // Calls `take` with the number of each value, in order.
  template <typename Take>
  constexpr void ForEach(const Take& take) const {
    for (std::uint64_t left = bits_; left != 0; left &= left - 1) {
      take(std::countr_zero(left));
    }
  }

  // Returns whether every value of `other` is in this set.
  constexpr bool Covers(EnumSet other) const {
    return (other.bits_ & ~bits_) == 0;
  }

  constexpr EnumSet Or(EnumSet other) const {
    other.bits_ |= bits_;
    return other;
  }

  constexpr EnumSet And(EnumSet other) const {
    other.bits_ &= bits_;
    return other;
  }

 private:
  std::uint64_t bits_ = 0;
};

using CauseSet = EnumSet<v1::Cause>;

// Causes that are not failures of this attempt; no rule decides them.
inline constexpr CauseSet kNoFailures = {v1::STALE_REPORT, v1::NOT_FAILED,
                                         v1::SUCCEEDED, v1::CANCELLED,
                                         v1::SUSPENDED};

using DerivedCauseSet = EnumSet<v1::DerivedCause>;

using DomainSet = EnumSet<v1::Diagnosis::FaultDomain>;
using OutlookSet = EnumSet<v1::Diagnosis::Outlook>;

static_assert(v1::Cause_MAX < 64 && v1::DerivedCause_MAX < 64 &&
              v1::Diagnosis::FaultDomain_MAX < 64 &&
              v1::Diagnosis::Outlook_MAX < 64);

// The inputs of a rule's conditions. The causes are separate from the failure
// so that a what-if can vary them alone.
struct Facts {
  const Owners& owners;
  const Failure& failure;
  const v1::WorkloadReference& workload;
  v1::Cause cause;
  v1::DerivedCause derived_cause;
  std::int32_t attempt;
  const v1::Stake& stake;
  // The remaining allowance for searching texts.
  PatternAllowance& patterns;

  const v1::FailureReport& report() const { return owners.report; }
};

struct ExitCodes {
  bool negated = false;              // NotIn
  std::vector<std::int32_t> values;  // sorted, without 0
  std::string container;             // empty: the culprit
};

struct ConditionFields {
  std::string type;
  std::string status;
  std::string reason;  // empty: any
};

// The conditions of a rule, all of which must hold. Lists are sorted
// alternatives; an empty list is not checked.
struct Predicates {
  Predicates();
  Predicates(Predicates&&) noexcept;
  Predicates& operator=(Predicates&&) noexcept;
  ~Predicates();

  // Bits of the given conditions (GivenIn); only those are checked.
  std::uint32_t given = 0;
  CauseSet causes = CauseSet::All();
  DomainSet fault_domains;
  OutlookSet outlooks;
  DerivedCauseSet derived_causes;
  v1::Diagnosis::Confidence min_confidence =
      v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  std::optional<Interval<std::int32_t>> attempts;
  std::optional<Interval<std::int32_t>> alike;
  std::optional<Interval<absl::Duration>> ran;
  std::optional<Interval<double>> accelerators;
  std::optional<Interval<double>> hours_at_stake;
  std::optional<Interval<double>> passed;  // a share
  std::optional<bool> interruptible;
  std::optional<bool> repeated_by_operator;
  std::vector<std::string> kinds;
  std::vector<std::string> containers;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::int32_t> http_codes;
  std::optional<ExitCodes> exit_codes;
  std::vector<std::string> reasons;
  std::vector<ConditionFields> conditions;
  std::unique_ptr<const re2::RE2> message;
  std::unique_ptr<const re2::RE2> status;
};

// Returns one bit per condition that is given, for Predicates::given.
std::uint32_t GivenIn(const Predicates& predicates);

// Returns for example "[HANG, APP_ERROR]".
std::string CauseNames(CauseSet causes);

// Returns whether `facts` satisfy `predicates`; checks cheap conditions first.
bool Matches(const Predicates& predicates, const Facts& facts);
// The two parts of Matches: conditions that change as a failure repeats
// (derivedCauses, attempts, alike, passed), and all others.
bool MatchesHistory(const Predicates& predicates, const Facts& facts);
bool MatchesFailure(const Predicates& predicates, const Facts& facts);

// Describes the first condition that does not hold, such as "causes: APP_ERROR
// is not one of [CONTAINER_OOM]"; empty if all hold.
std::string FailedPredicate(const Predicates& predicates, const Facts& facts);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_PREDICATES_H_
