// Hints and recent failures: bounds, and what is refused.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"
#include "policy/request/validate.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Parse;

std::vector<std::string> Violated(const std::string& text) {
  std::vector<std::string> fields;
  const auto request = Parse<v1::DecideRequest>(text);
  for (const FieldViolation& violation :
       Validate(request, Owners(request.report()))) {
    EXPECT_FALSE(violation.description.empty());
    fields.push_back(violation.field);
  }
  return fields;
}

std::string WithHint(const std::string& hint) {
  return "report { exit {} hints { " + hint + " } }";
}

struct ValueCase {
  const char* name;
  std::string request;
  const char* field;
};

class ValueRefused : public ::testing::TestWithParam<ValueCase> {};

TEST_P(ValueRefused, ByName) {
  EXPECT_THAT(Violated(GetParam().request), ElementsAre(GetParam().field));
}

std::string Recent(const char* group) {
  return std::string(
             "report { exit {} } recent { window { seconds: 1 } failed: 1 "
             "groups { ") +
         group + " } }";
}

INSTANTIATE_TEST_SUITE_P(
    Validate, ValueRefused,
    ::testing::Values(
        ValueCase{"HintWithoutASource", WithHint("cause: HANG"),
                  "report.hints[0].source"},
        ValueCase{"HintSourceWithSpace", WithHint("source: 'a b' cause: HANG"),
                  "report.hints[0].source"},
        ValueCase{"HintWithoutCause", WithHint("source: 'a'"),
                  "report.hints[0].cause"},
        ValueCase{"HintOfNoFailure", WithHint("source: 'a' cause: SUCCEEDED"),
                  "report.hints[0].cause"},
        ValueCase{"HintSourceTooLong",
                  WithHint("cause: HANG source: '" +
                           std::string(kMaxHintSourceBytes + 1, 'a') + "'"),
                  "report.hints[0].source"},
        ValueCase{"HintTextTooLong",
                  WithHint("cause: HANG source: 'a' text: '" +
                           std::string(kMaxHintTextBytes + 1, 'a') + "'"),
                  "report.hints[0].text"},
        ValueCase{"ProgressBeforeAllTimes",
                  "report { exit {} progress { advanced_at { seconds: "
                  "-99999999999 } } }",
                  "report.progress.advancedAt"},
        ValueCase{"PassedNegative", Recent("workloads: 1 passed: -1"),
                  "recent[0].groups[0].passed"},
        ValueCase{"FailedAgainTooOften",
                  Recent("workloads: 1 failed_again: 1000001"),
                  "recent[0].groups[0].failedAgain"}),
    [](const auto& test) { return test.param.name; });

TEST(ValidateValue, AcceptsValuesWithinBounds) {
  EXPECT_THAT(
      Violated(WithHint("cause: HANG source: '" +
                        std::string(kMaxHintSourceBytes, 'a') + "' text: '" +
                        std::string(kMaxHintTextBytes, 'a') + "'")),
      IsEmpty());
  EXPECT_THAT(Violated(Recent("cause: HANG passed: 3")), IsEmpty())
      << "a group of retries alone";
}

TEST(ValidateValue, AcceptsEightHintsAndNotNine) {
  std::string hints;
  for (int i = 0; i < kMaxHints; ++i) hints += "hints { source: 'a' cause: 7 }";
  EXPECT_THAT(Violated("report { exit {} " + hints + " }"), IsEmpty());
  hints += "hints { source: 'a' cause: 7 }";
  EXPECT_THAT(Violated("report { exit {} " + hints + " }"),
              ElementsAre("report.hints"));
}

}  // namespace
}  // namespace mulligan
