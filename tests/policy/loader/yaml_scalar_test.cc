#include "policy/loader/yaml_scalar.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;

YamlNode Plain(const std::string& text) {
  return {.kind = YamlNode::Kind::kScalar, .text = text};
}

YamlNode InQuotes(const std::string& text) {
  return {.kind = YamlNode::Kind::kScalar, .text = text, .quoted = true};
}

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();

struct DurationCase {
  std::string text;
  int64_t seconds;
  int32_t nanos;
};

class GoodDurationTest : public ::testing::TestWithParam<DurationCase> {};

TEST_P(GoodDurationTest, IsRead) {
  google::protobuf::Duration expected;
  expected.set_seconds(GetParam().seconds);
  expected.set_nanos(GetParam().nanos);
  EXPECT_THAT(ReadDuration(Plain(GetParam().text)),
              IsOkAndHolds(EqualsProto(expected)));
  EXPECT_THAT(ReadDuration(InQuotes(GetParam().text)),
              IsOkAndHolds(EqualsProto(expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, GoodDurationTest,
    ::testing::Values(DurationCase{"0s", 0, 0}, DurationCase{"90s", 90, 0},
                      DurationCase{"1m30s", 90, 0},
                      DurationCase{"24h", 86400, 0},
                      DurationCase{"7d", 604800, 0},
                      DurationCase{"250ms", 0, 250'000'000},
                      DurationCase{"1d2h3m4s5ms", 93784, 5'000'000},
                      DurationCase{"5m1ms", 300, 1'000'000},
                      DurationCase{"3650d", 315'360'000, 0}),
    [](const auto& test) { return "_" + test.param.text; });

struct YamlScalarBadCase {
  std::string name;
  std::string text;
  std::string problem;
};

std::string NameOf(const ::testing::TestParamInfo<YamlScalarBadCase>& test) {
  return test.param.name;
}

class BadDurationTest : public ::testing::TestWithParam<YamlScalarBadCase> {};

TEST_P(BadDurationTest, NamesTheValueAndTheForm) {
  EXPECT_THAT(ReadDuration(Plain(GetParam().text)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr('"' + GetParam().text + '"'),
                             HasSubstr(GetParam().problem))));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadDurationTest,
    ::testing::Values(
        YamlScalarBadCase{"BareNumber", "90",
                          "has no unit, expected a duration such as"},
        YamlScalarBadCase{"Zero", "0", "has no unit"},
        YamlScalarBadCase{"Empty", "", "\"1m30s\""},
        YamlScalarBadCase{"Negative", "-5s", "is not a duration"},
        YamlScalarBadCase{"Fraction", "1.5h", "is not a duration"},
        YamlScalarBadCase{"UnknownUnit", "5min", "is not a duration"},
        YamlScalarBadCase{"UpperCase", "5M", "is not a duration"},
        YamlScalarBadCase{"UnitAlone", "s", "is not a duration"},
        YamlScalarBadCase{"WrongOrder", "30s1m", "is not a duration"},
        YamlScalarBadCase{"SameUnitTwice", "1m1m", "is not a duration"},
        YamlScalarBadCase{"Space", "1m 30s", "is not a duration"},
        YamlScalarBadCase{"NumberLast", "1m30", "is not a duration"},
        YamlScalarBadCase{"TooLong", "3651d", "is longer than 3650d"},
        YamlScalarBadCase{"SumTooLong", "3650d1ms", "is longer than 3650d"},
        YamlScalarBadCase{"Overflow", "99999999999999999999d",
                          "is longer than 3650d"},
        YamlScalarBadCase{"Iso8601", "PT5M", "is not a duration"}),
    NameOf);

class BadIntegerTest : public ::testing::TestWithParam<YamlScalarBadCase> {};

TEST_P(BadIntegerTest, IsRefused) {
  EXPECT_THAT(ReadInteger(Plain(GetParam().text), -5, 1000),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadIntegerTest,
    ::testing::Values(
        YamlScalarBadCase{"LeadingZero", "010", "write 10"},
        YamlScalarBadCase{"NegativeLeadingZero", "-007", "write -7"},
        YamlScalarBadCase{"Zeros", "00", "write 0"},
        YamlScalarBadCase{"Fraction", "3.5", "is not a whole number"},
        YamlScalarBadCase{"WholeFraction", "3.0", "is not a whole number"},
        YamlScalarBadCase{"Exponent", "1e3", "is not a whole number"},
        YamlScalarBadCase{"Hexadecimal", "0x10", "is not a whole number"},
        YamlScalarBadCase{"Octal", "0o17", "is not a whole number"},
        YamlScalarBadCase{"Underscore", "1_000", "is not a whole number"},
        YamlScalarBadCase{"Plus", "+3", "is not a whole number"},
        YamlScalarBadCase{"Word", "three", "\"three\" is not a whole number"},
        YamlScalarBadCase{"Minus", "-", "is not a whole number"},
        YamlScalarBadCase{"Infinity", ".inf", "is not a whole number"},
        YamlScalarBadCase{"AboveRange", "1001",
                          "out of range, expected -5 to 1000"},
        YamlScalarBadCase{"BelowRange", "-6",
                          "out of range, expected -5 to 1000"},
        YamlScalarBadCase{"Overflow", "9223372036854775808", "out of range"}),
    NameOf);

TEST(ReadIntegerTest, ReadsTheLimitsOfTheRange) {
  EXPECT_THAT(ReadInteger(Plain("-5"), -5, 10), IsOkAndHolds(-5));
  EXPECT_THAT(ReadInteger(Plain("10"), -5, 10), IsOkAndHolds(10));
  EXPECT_THAT(ReadInteger(Plain("0"), -5, 10), IsOkAndHolds(0));
  EXPECT_THAT(ReadInteger(Plain("-9223372036854775808"), kMin64, kMax64),
              IsOkAndHolds(kMin64));
  EXPECT_THAT(ReadInteger(Plain("9223372036854775807"), kMin64, kMax64),
              IsOkAndHolds(kMax64));
}

TEST(ReadIntegerTest, RefusesQuotes) {
  EXPECT_THAT(ReadInteger(InQuotes("3"), 0, 10),
              StatusIs(_, HasSubstr("\"3\" in quotes is a string, expected a "
                                    "whole number without quotes")));
}

TEST(ReadUnsignedTest, RefusesNegativeNumbers) {
  EXPECT_THAT(ReadUnsigned(Plain("7"), 10), IsOkAndHolds(7));
  EXPECT_THAT(ReadUnsigned(Plain("-1"), 10),
              StatusIs(_, HasSubstr("out of range, expected 0 to 10")));
}

TEST(ReadDoubleTest, ReadsDecimalNumbers) {
  EXPECT_THAT(ReadDouble(Plain("2")), IsOkAndHolds(2.0));
  EXPECT_THAT(ReadDouble(Plain("-1.5")), IsOkAndHolds(-1.5));
  EXPECT_THAT(ReadDouble(Plain("0.25")), IsOkAndHolds(0.25));
  EXPECT_THAT(ReadDouble(Plain("1e3")), IsOkAndHolds(1000.0));
  EXPECT_THAT(ReadDouble(Plain("1E-3")), IsOkAndHolds(0.001));
}

class BadDoubleTest : public ::testing::TestWithParam<YamlScalarBadCase> {};

TEST_P(BadDoubleTest, IsRefused) {
  EXPECT_THAT(ReadDouble(Plain(GetParam().text)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadDoubleTest,
    ::testing::Values(
        YamlScalarBadCase{"YamlNan", ".nan", "is not a number"},
        YamlScalarBadCase{"YamlInfinity", "-.inf", "is not a number"},
        YamlScalarBadCase{"Nan", "nan", "is not a number"},
        YamlScalarBadCase{"Infinity", "inf", "is not a number"},
        YamlScalarBadCase{"TooBig", "1e999", "is out of range"},
        YamlScalarBadCase{"LeadingZero", "01.5", "is not a number"},
        YamlScalarBadCase{"NoDigitBefore", ".5", "is not a number"},
        YamlScalarBadCase{"NoDigitAfter", "5.", "is not a number"},
        YamlScalarBadCase{"NoExponent", "1e", "is not a number"},
        YamlScalarBadCase{"Hexadecimal", "0x1p3", "is not a number"},
        YamlScalarBadCase{"Comma", "1,5", "is not a number"}),
    NameOf);

TEST(ReadBoolTest, AcceptsTrueAndFalseOnly) {
  EXPECT_THAT(ReadBool(Plain("true")), IsOkAndHolds(true));
  EXPECT_THAT(ReadBool(Plain("false")), IsOkAndHolds(false));
  for (const char* const word :
       {"yes", "on", "True", "TRUE", "no", "off", "y", "1", "0", ""}) {
    EXPECT_THAT(ReadBool(Plain(word)),
                StatusIs(_, HasSubstr("is not true or false")))
        << word;
  }
  EXPECT_THAT(ReadBool(InQuotes("true")), StatusIs(_, HasSubstr("in quotes")));
}

TEST(ReadStringTest, AsksForQuotesWhereParsersDisagree) {
  for (const char* const word :
       {"12", "010", "-1.5", "1e3", ".5", "0x1f", "0o17", "yes", "No", "on",
        "True", "FALSE", ".nan", "-.inf"}) {
    EXPECT_THAT(ReadString(Plain(word)),
                StatusIs(_, HasSubstr("put it in quotes")))
        << word;
    EXPECT_THAT(ReadString(InQuotes(word)), IsOkAndHolds(word));
  }
}

TEST(ReadStringTest, AcceptsOtherWordsUnquoted) {
  for (const char* const word :
       {"ml-*", "1.2.3", "10.0.0.0/8", "0xyz", "yesterday", "RayJob", "e3",
        "1-2", "-", "."}) {
    EXPECT_THAT(ReadString(Plain(word)), IsOkAndHolds(word)) << word;
  }
}

}  // namespace
}  // namespace mulligan
