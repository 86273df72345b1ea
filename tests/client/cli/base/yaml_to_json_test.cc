#include <string>

#include "client/cli/base/json_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Scalar {
  const char* name;
  const char* yaml;
  const char* json;
};

class YamlScalarTest : public ::testing::TestWithParam<Scalar> {};

TEST_P(YamlScalarTest, BecomesJson) {
  EXPECT_THAT(YamlToJson(std::string("a: ") + GetParam().yaml),
              IsOkAndHolds(
                  ElementsAre(std::string("{\"a\":") + GetParam().json + "}")));
}

INSTANTIATE_TEST_SUITE_P(
    All, YamlScalarTest,
    ::testing::Values(
        Scalar{"Word", "abc", R"("abc")"}, Scalar{"Empty", "", "null"},
        Scalar{"Tilde", "~", "null"}, Scalar{"Null", "null", "null"},
        Scalar{"QuotedNull", "'null'", R"("null")"},
        Scalar{"True", "true", "true"}, Scalar{"Yes", "yes", R"("yes")"},
        Scalar{"QuotedTrue", "\"true\"", R"("true")"},
        Scalar{"Integer", "137", "137"}, Scalar{"Negative", "-1", "-1"},
        Scalar{"PlusSign", "+5", "5"}, Scalar{"QuotedInteger", "'5'", R"("5")"},
        Scalar{"Float", "1.5", "1.5"}, Scalar{"NoLeadingDigit", ".5", "0.5"},
        Scalar{"NoFraction", "5.", "5"}, Scalar{"Exponent", "1e3", "1e3"},
        Scalar{"QuotedExponent", "\"1e3\"", R"("1e3")"},
        Scalar{"Hexadecimal", "0x1F", "31"}, Scalar{"Octal", "0o17", "15"},
        Scalar{"LeadingZeroStaysText", "0123", R"("0123")"},
        Scalar{"HugeIntegerKeepsItsDigits", "123456789012345678901",
               "123456789012345678901"},
        Scalar{"Infinity", ".inf", R"("Infinity")"},
        Scalar{"NotANumber", ".nan", R"("NaN")"},
        Scalar{"Timestamp", "2026-01-31T08:00:00Z",
               R"("2026-01-31T08:00:00Z")"},
        Scalar{"Date", "2026-01-31", R"("2026-01-31")"},
        Scalar{"Quantity", "500m", R"("500m")"},
        Scalar{"Version", "1.2.3", R"("1.2.3")"},
        Scalar{"TaggedString", "!!str 5", R"("5")"},
        Scalar{"Block", "|\n  x\n  y\n", R"("x\ny\n")"},
        Scalar{"FlowMap", "{b: [1, x]}", R"({"b":[1,"x"]})"},
        Scalar{"Alias", "[&x {c: 1}, *x]", R"([{"c":1},{"c":1}])"},
        Scalar{"AliasInAnAlias", "[&x {c: &y [1]}, *x, *y]",
               R"([{"c":[1]},{"c":[1]},[1]])"},
        Scalar{"TaggedNumber", "!!int 5", "5"}),
    [](const auto& test) { return test.param.name; });

TEST(YamlToJsonTest, SplitsDocumentsAndSkipsEmptyOnes) {
  EXPECT_THAT(YamlToJson("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n"),
              IsOkAndHolds(ElementsAre(R"({"a":1})", R"({"b":2})")));
  EXPECT_THAT(YamlToJson(""), IsOkAndHolds(IsEmpty()));
}

// Each step is an alias of the previous one, nested ten levels deeper.
std::string Ladder(int steps) {
  std::string yaml = "a0: &a0 x\n";
  for (int i = 1; i < steps; ++i) {
    const std::string name = "a" + std::to_string(i);
    yaml += name + ": &" + name + " " + std::string(10, '[') + "*a" +
            std::to_string(i - 1) + std::string(10, ']') + "\n";
  }
  return yaml;
}

struct BadYaml {
  const char* name;
  std::string yaml;
  const char* message;
};

class BadYamlTest : public ::testing::TestWithParam<BadYaml> {};

TEST_P(BadYamlTest, IsRejectedWithItsPosition) {
  EXPECT_THAT(YamlToJson(GetParam().yaml),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadYamlTest,
    ::testing::Values(
        BadYaml{"OpenBracket", "a:\n  - [1, 2\nb: 3\n", "line 3, column "},
        BadYaml{"Tab", "a:\n\tb: 1\n", "line 2, column "},
        BadYaml{"DuplicateKey", "a: 1\nb: 2\na: 3\n",
                "line 3, column 1: duplicate key \"a\""},
        BadYaml{"MapAsKey", "? {a: 1}\n: 2\n",
                "line 1, column 3: expected a scalar as key"},
        BadYaml{"MergeKey", "a: &x {b: 1}\nc:\n  <<: *x\n",
                "line 3, column 3: merge keys (<<) are not supported"},
        BadYaml{"UnknownAlias", "a: *x\n", "line 1, column "},
        BadYaml{"AliasInsideItself", "a: &x [1, *x]\n",
                "line 1, column 11: an alias inside what it stands for"},
        BadYaml{"AliasesBehindAliases", Ladder(12),
                "nested deeper than 100 levels"},
        BadYaml{"UnclosedString", "a: 1\nb: 'x\nc: 2\n",
                "line 2, column 4: quoted string is not closed"},
        BadYaml{"EndOfTransmission", "a: 1\n\x04\nb: 2\n",
                "line 2, column 1: control character 0x04 is not allowed"},
        BadYaml{"TooDeep", std::string(101, '[') + std::string(101, ']'),
                "nested deeper than 100 levels"},
        BadYaml{"DeeperThanTheParserGoes",
                std::string(3000, '[') + std::string(3000, ']'),
                "nested deeper than 100 levels"}),
    [](const auto& test) { return test.param.name; });

TEST(YamlToJsonTest, LimitsAliasExpansion) {
  std::string yaml = "a0: &a0 [" + std::string(1000, '1') + "]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string self = "a" + std::to_string(i);
    const std::string last = "*a" + std::to_string(i - 1);
    yaml += self + ": &" + self + " [";
    for (int copy = 0; copy < 9; ++copy) yaml += last + " , ";
    yaml += last + " ]\n";
  }
  EXPECT_THAT(YamlToJson(yaml),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("aliases expand to more than")));
}

}  // namespace
}  // namespace mulligan::cli
