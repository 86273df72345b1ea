#include "policy/request/duplicates.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::testing::ElementsAreArray;
using testing::EqualsProto;
using testing::Parse;

struct DuplicatesRow {
  const char* name;
  const char* report;
  std::string first;
  std::vector<int> pods;
  std::vector<int> jobs = {};
};

class DuplicatesTest : public ::testing::TestWithParam<DuplicatesRow> {};

TEST_P(DuplicatesTest, KeepsOneOfEachObject) {
  Unread left_out;
  EXPECT_EQ(
      AddDuplicates(Parse<v1::FailureReport>(GetParam().report), left_out),
      GetParam().first);
  EXPECT_THAT(left_out.pods, ElementsAreArray(GetParam().pods));
  EXPECT_THAT(left_out.jobs, ElementsAreArray(GetParam().jobs));
}

const DuplicatesRow kRows[] = {
    {"Nothing", "exit {}", "", {}},
    {"One", "pods { metadata { uid: 'a' } }", "", {}},
    {"TwoPods",
     "pods { metadata { uid: 'a' } } pods { metadata { uid: 'b' } }",
     "",
     {}},
    {"TheLastStays",
     "pods { metadata { namespace: 'ml' name: 'p' uid: 'a' } } "
     "pods { metadata { uid: 'b' } } pods { metadata { uid: 'a' } } "
     "pods { metadata { uid: 'a' } }",
     "Pod ml/p",
     {0, 2}},
    {"TheNewestStays",
     "pods { metadata { name: 'p' uid: 'a' resource_version: '9' } } "
     "pods { metadata { name: 'p' uid: 'a' resource_version: '10' } } "
     "pods { metadata { name: 'p' uid: 'a' resource_version: '8' } }",
     "Pod /p",
     {0, 2}},
    {"Jobs",
     "jobs { metadata { namespace: 'ml' name: 'j' uid: 'a' } } "
     "jobs { metadata { namespace: 'ml' name: 'j' uid: 'a' } }",
     "Job ml/j",
     {},
     {0}},
    {"APodAndAJob",
     "pods { metadata { uid: 'a' } } jobs { metadata { uid: 'a' } }",
     "",
     {}},
    {"Recreated",
     "pods { metadata { namespace: 'ml' name: 'p' uid: 'a' } } "
     "pods { metadata { namespace: 'ml' name: 'p' uid: 'b' } }",
     "",
     {}},
    {"WithoutUids",
     "pods { metadata { namespace: 'ml' name: 'p' } } "
     "pods { metadata { namespace: 'ml' name: 'p' } }",
     "Pod ml/p",
     {0}},
    {"RecreatedWithoutUids",
     "pods { metadata { namespace: 'ml' name: 'p' "
     "creation_timestamp { seconds: 1 } } } "
     "pods { metadata { namespace: 'ml' name: 'p' "
     "creation_timestamp { seconds: 2 } } }",
     "",
     {}},
    {"InOtherNamespaces",
     "pods { metadata { namespace: 'ml' name: 'p' } } "
     "pods { metadata { namespace: 'qa' name: 'p' } }",
     "",
     {}},
    {"CutDownByHand",
     "pods { metadata { name: 'p' } } pods { metadata { name: 'p' } } "
     "pods {} pods {}",
     "",
     {}},
};

INSTANTIATE_TEST_SUITE_P(Doubles, DuplicatesTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(DuplicatesTest, KeepsWhatIsAlreadyLeftOut) {
  Unread left_out;
  left_out.pods = {0, 1};
  EXPECT_EQ(AddDuplicates(Parse<v1::FailureReport>(
                              "pods { metadata { name: 'p' uid: 'a' } } "
                              "pods { metadata { uid: 'b' } } "
                              "pods { metadata { uid: 'a' } }"),
                          left_out),
            "Pod /p");
  EXPECT_THAT(left_out.pods, ElementsAreArray({0, 1}));
}

using RepeatedObjectTest = DecideTest;

TEST_F(RepeatedObjectTest, ChangesNothing) {
  v1::DecideRequest request = OutOfMemory();
  const v1::DecideResponse once = Ask(request);
  auto& pods = *request.mutable_report()->mutable_pods();
  // An earlier snapshot precedes it.
  *pods.Add() = pods[0];
  pods[0].clear_status();
  const v1::DecideResponse twice = Ask(request);
  EXPECT_THAT(twice.decision(), EqualsProto(once.decision()));
  EXPECT_THAT(twice.ledger(), EqualsProto(once.ledger()));
  ASSERT_GT(twice.diagnosis().evidence_size(), 0);
  EXPECT_THAT(twice.diagnosis().evidence(0).path(),
              ::testing::StartsWith("pods[1]"));
  EXPECT_THAT(twice.warnings(), ::testing::Contains(::testing::HasSubstr(
                                    "in the report more than once")));
}

}  // namespace
}  // namespace mulligan
