#include "client/conformance/compare.h"

#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct CompareCase {
  std::string name;
  std::string expect;
  std::string actual;
  bool meets;
};

void PrintTo(const CompareCase& test, std::ostream* out) { *out << test.name; }

class DifferencesTest : public ::testing::TestWithParam<CompareCase> {};

TEST_P(DifferencesTest, TellsWhetherTheAnswerMeetsTheAssertion) {
  const CompareCase& test = GetParam();
  EXPECT_EQ(
      Differences(Json::parse(test.expect), Json::parse(test.actual)).empty(),
      test.meets);
}

INSTANTIATE_TEST_SUITE_P(
    Values, DifferencesTest,
    ::testing::Values(
        CompareCase{"AnswersMaySayMore", R"({"a":1})", R"({"a":1,"b":2})",
                    true},
        CompareCase{"AnswersMayNotSayLess", R"({"a":1})", "{}", false},
        CompareCase{"AnAbsentMemberIsNotNull", R"({"a":null})", "{}", false},
        CompareCase{"NullIsNull", R"({"a":null})", R"({"a":null})", true},
        CompareCase{"NullIsNotZero", R"({"a":null})", R"({"a":0})", false},
        CompareCase{"NumbersCompareByValue", R"({"a":3})", R"({"a":3.0})",
                    true},
        CompareCase{"ANumberIsNotItsText", R"({"a":3})", R"({"a":"3"})", false},
        CompareCase{"AnErrorsTextIsAnError", R"({"error":true})",
                    R"({"error":"boom"})", true},
        CompareCase{"AnErrorMayBeAssertedInPart",
                    R"({"error":true,"errorContains":"oo"})",
                    R"({"error":"boom"})", true},
        CompareCase{"NoErrorIsNoError", R"({"error":false})",
                    R"({"error":null})", true},
        CompareCase{"NoErrorIsNotAnError", R"({"error":true})",
                    R"({"error":null})", false},
        CompareCase{"AnEmptyErrorIsNone", R"({"error":true})",
                    R"({"error":""})", false},
        CompareCase{"TrueIsNoTextElsewhere", R"({"message":true})",
                    R"({"message":"boom"})", false},
        CompareCase{"TrueIsNotOne", R"({"a":true})", R"({"a":1})", false},
        CompareCase{"ArraysHaveTheSameLength", R"({"a":[1]})", R"({"a":[1,2]})",
                    false},
        CompareCase{"ArraysKeepTheirOrder", R"({"a":[1,2]})", R"({"a":[2,1]})",
                    false},
        CompareCase{"ObjectsInArraysMaySayMore", R"({"a":[{"t":1}]})",
                    R"({"a":[{"t":1,"u":2}]})", true},
        CompareCase{"AnEmptyArrayIsNotNull", R"({"a":[]})", R"({"a":null})",
                    false},
        CompareCase{"AnEmptyObjectIsNotAnEmptyArray", R"({"a":{}})",
                    R"({"a":[]})", false},
        CompareCase{"AnObjectIsNotNull", R"({"a":{}})", R"({"a":null})",
                    false}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Properties, DifferencesTest,
    ::testing::Values(
        CompareCase{"Contains", R"({"mContains":"b"})", R"({"m":"abc"})", true},
        CompareCase{"ContainsAll", R"({"mContains":["a","c"]})",
                    R"({"m":"abc"})", true},
        CompareCase{"ContainsNotAll", R"({"mContains":["a","x"]})",
                    R"({"m":"abc"})", false},
        CompareCase{"ContainsNeedsAText", R"({"mContains":"b"})",
                    R"({"m":null})", false},
        CompareCase{"ContainsNeedsTheMember", R"({"mContains":"b"})", "{}",
                    false},
        CompareCase{"NotContains", R"({"mNotContains":"x"})", R"({"m":"abc"})",
                    true},
        CompareCase{"NotContainsFails", R"({"mNotContains":["x","b"]})",
                    R"({"m":"abc"})", false},
        CompareCase{"Regex", R"({"mRegex":"^a.c$"})", R"({"m":"abc"})", true},
        CompareCase{"RegexFails", R"({"mRegex":"^b"})", R"({"m":"abc"})",
                    false},
        CompareCase{"ABrokenRegexFails", R"({"mRegex":"("})", R"({"m":"("})",
                    false},
        CompareCase{"OneOf", R"({"mOneOf":["x","abc"]})", R"({"m":"abc"})",
                    true},
        CompareCase{"OneOfFails", R"({"mOneOf":["x"]})", R"({"m":"abc"})",
                    false},
        CompareCase{"OneOfOfNothingFails", R"({"mOneOf":[]})", R"({"m":"abc"})",
                    false},
        CompareCase{"AtLeast", R"({"nAtLeast":2})", R"({"n":2.5})", true},
        CompareCase{"AtLeastFails", R"({"nAtLeast":2})", R"({"n":1})", false},
        CompareCase{"AtLeastNeedsANumber", R"({"nAtLeast":2})", R"({"n":"3"})",
                    false},
        CompareCase{"AMemberOfThatVeryNameIsAValue", R"({"mContains":"b"})",
                    R"({"m":"abc","mContains":"x"})", false},
        CompareCase{"AnEmptyListOfTextsAssertsNothingAndFails",
                    R"({"mContains":[]})", R"({"m":"abc"})", false},
        CompareCase{"NotContainsOfNoTextFails", R"({"mNotContains":[]})",
                    R"({"m":"abc"})", false},
        CompareCase{"TextsThatAreNoTextsFail", R"({"mContains":3})",
                    R"({"m":"3"})", false},
        CompareCase{"OneOfNeedsAList", R"({"mOneOf":"abc"})", R"({"m":"abc"})",
                    false}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Histories, DifferencesTest,
    ::testing::Values(CompareCase{"Never", R"({"sNever":"x"})",
                                  R"({"sHistory":["a"]})", true},
                      CompareCase{"NeverFails", R"({"sNever":"a"})",
                                  R"({"sHistory":["a"]})", false},
                      CompareCase{"NeverNeedsAHistory", R"({"sNever":"a"})",
                                  R"({"s":"b"})", false},
                      CompareCase{"Tolerance",
                                  R"({"n":30,"toleranceSeconds":5})",
                                  R"({"n":33})", true},
                      CompareCase{"ToleranceExceeded",
                                  R"({"n":30,"toleranceSeconds":5})",
                                  R"({"n":36})", false},
                      CompareCase{"ToleranceIsForNumbers",
                                  R"({"n":"30","toleranceSeconds":5})",
                                  R"({"n":"31"})", false}),
    [](const auto& test) { return test.param.name; });

TEST(DescribedTest, AnyWordingMeets) {
  const Json actual = {{"name", Described({"a new name", "set"})}};
  EXPECT_THAT(Differences({{"name", "set"}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"name", "a new name"}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"name", "kept"}}, actual), SizeIs(1));
  EXPECT_THAT(Differences({{"name", nullptr}}, actual), SizeIs(1));
}

TEST(DescribedTest, ListsAndPropertiesAreWordingsToo) {
  const Json actual = {{"path", Described({{"a", "b"}, {"a"}})},
                       {"text", Described({"why", "what: why"})}};
  EXPECT_THAT(Differences({{"path", {"a"}}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"path", {"b"}}}, actual), SizeIs(1));
  EXPECT_THAT(Differences({{"textContains", "what"}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"textContains", "who"}}, actual), SizeIs(1));
}

TEST(DescribedTest, MembersAreComparedAsEver) {
  const Json actual = {{"job", Described({"kept"}, {{"failed", 2}})}};
  EXPECT_THAT(Differences({{"job", "kept"}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"job", {{"failed", 2}}}}, actual), IsEmpty());
  EXPECT_THAT(Differences({{"job", {{"failed", 1}}}}, actual), SizeIs(1));
}

TEST(DifferencesTest, NamesThePathAndBothSides) {
  EXPECT_THAT(Differences(Json::parse(R"({"a":[{"b":1}],"c":2})"),
                          Json::parse(R"({"a":[{"b":"x"}]})")),
              ElementsAre("expect.a[0].b: expected 1, got \"x\"",
                          "expect.c: expected 2, not answered"));
}

TEST(DifferencesTest, OpenListsMayHoldMoreInAnyOrder) {
  const Json actual = {
      {"l", OpenList(Json::parse(R"([{"t":1,"u":1},{"t":2,"u":2}])"))}};
  const auto differences = [&](const char* wanted) {
    return Differences({{"l", Json::parse(wanted)}}, actual);
  };
  EXPECT_THAT(differences(R"([{"t":2},{"t":1,"u":1}])"), IsEmpty());
  EXPECT_THAT(differences("[]"), IsEmpty());
  EXPECT_THAT(differences(R"([{"t":1,"u":2}])"), SizeIs(1));
  EXPECT_THAT(differences("null"), SizeIs(1));
}

TEST(DifferencesTest, FindsEveryDifference) {
  EXPECT_THAT(Differences(Json::parse(R"({"a":1,"b":2,"c":3})"),
                          Json::parse(R"({"a":0,"b":0,"c":3})")),
              SizeIs(2));
  EXPECT_THAT(
      Differences(Json::parse(R"({"a":{"b":1}})"), Json::parse(R"({"a":[]})")),
      ElementsAre(HasSubstr("expect.a")));
  EXPECT_THAT(Differences(Json::object(), Json::object()), IsEmpty());
}

TEST(DifferencesTest, AnswersThatAreNoObjectsDiffer) {
  EXPECT_THAT(Differences(Json::parse(R"({"a":1})"), Json()), SizeIs(1));
}

TEST(DifferencesTest, TextThatIsNotUtf8IsPrintedAllTheSame) {
  const Json actual = {{"m", std::string("\xff")}};
  EXPECT_THAT(Differences(Json::parse(R"({"m":"x"})"), actual), SizeIs(1));
}

}  // namespace
}  // namespace mulligan::conformance
