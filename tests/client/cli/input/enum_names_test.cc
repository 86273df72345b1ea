#include <string>

#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> Find(std::string_view json) {
  return FindUnknownEnumNames(json, *v1::DecideRequest::descriptor());
}

TEST(EnumNamesTest, ReportsFieldValueAndChoices) {
  EXPECT_THAT(
      Find(R"({"report":{"creationError":{"phase":"build","httpCode":422}}})"),
      ElementsAre("report.creationError.phase: \"build\" is ignored, it is "
                  "not one of BUILD, CREATE"));
}

TEST(EnumNamesTest, AcceptsKnownNamesNumbersAndNull) {
  EXPECT_THAT(Find(R"({"explain":"FULL","purpose":1,"report":
                      {"creationError":{"phase":null}}})"),
              IsEmpty());
  EXPECT_THAT(Find(R"({"explain":"3"})"), IsEmpty());
}

TEST(EnumNamesTest, SearchesListsMapsAndProtoFieldNames) {
  EXPECT_THAT(
      Find(R"({"ledger":{"history":[{"cause":"APP_ERROR"},{"cause":"oom"}]},
               "inline_policy":{"spec":{"budgets":{"a b":{}},
                 "rules":[{"when":{"causes":["OOM","CONTAINER_OOM"]}}]}}})"),
      ElementsAre(StartsWith("ledger.history[1].cause: \"oom\""),
                  AllOf(StartsWith("inlinePolicy.spec.rules[0].when.causes[0]"),
                        HasSubstr("\"OOM\""), HasSubstr("CONTAINER_OOM"))));
}

TEST(EnumNamesTest, IgnoresUnknownFieldsAndMirrors) {
  EXPECT_THAT(Find(R"({"nosuch":{"phase":"x"},"report":{"pods":
                      [{"status":{"phase":"NoSuchPhase"}}]}})"),
              IsEmpty());
}

TEST(EnumNamesTest, StopsAtTwentyFindings) {
  std::string json = R"({"ledger":{"history":[)";
  for (int i = 0; i < 100; ++i) json += R"({"cause":"x"},)";
  json += "{}]}}";
  EXPECT_THAT(Find(json), SizeIs(20));
}

}  // namespace
}  // namespace mulligan::cli
