// For each rule that weighs facts: a fact it decides about, and one change that
// stops it from deciding.
#ifndef MULLIGAN_TESTS_POLICY_DEMYSTIFY_WEIGHING_CASES_H_
#define MULLIGAN_TESTS_POLICY_DEMYSTIFY_WEIGHING_CASES_H_

#include <ostream>
#include <span>

#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {

inline constexpr Signature kSomeRow = {.key = "some",
                                       .cause = v1::APP_ERROR,
                                       .confidence = kMedium,
                                       .tier = Tier::kSpecific,
                                       .weight = kContainerWeight,
                                       .flags = kNoFlags,
                                       .meaning = "something"};
inline constexpr Signature kOtherRow = {.key = "other",
                                        .cause = v1::IMAGE_INVALID,
                                        .confidence = kHigh,
                                        .tier = Tier::kConvention,
                                        .weight = kTextWeight,
                                        .flags = kNoFlags,
                                        .meaning = "something else"};

// A fact and its surroundings.
struct Setting {
  Candidate fact = MakeCandidate("table", kSomeRow, {}, "value");
  PodState state;
  Scene scene = {.state = state};
  Signature row = kSomeRow;

  void Be(const Signature& sign) {
    fact = MakeCandidate("sign", sign, fact.place, "value");
  }
  void BeOf(v1::Cause cause) {
    row.cause = cause;
    Be(row);
  }
  void ExplainUnclearEnds() { fact.flags = kUnclearEndOnly; }
  void ComeFrom(Root root) { fact.place.root = root; }
};

struct RuleCase {
  const char* rule;
  void (*decides)(Setting& now);
  // Changes the result of `decides` so that the rule no longer applies.
  void (*decides_no_more)(Setting& now);

  friend std::ostream& operator<<(std::ostream& out, const RuleCase& row) {
    return out << row.rule;
  }
};

// In the order of the rule table.
std::span<const RuleCase> RuleCases();

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TESTS_POLICY_DEMYSTIFY_WEIGHING_CASES_H_
