#include "policy/operators/job/success_policy.h"

#include <optional>

#include "gtest/gtest.h"
#include "tests/policy/operators/job/test_objects.h"

namespace mulligan::job {
namespace {

std::optional<int> Match(const char* rules, const char* succeeded) {
  return MatchSuccessPolicy(Parse<SuccessPolicy>(rules), 10,
                            IndexSet::Parse(succeeded, 10));
}

TEST(MatchSuccessPolicyTest, IndexesMustAllHaveSucceeded) {
  EXPECT_EQ(Match("rules { succeeded_indexes: '1,3-5' }", "1,3,4"),
            std::nullopt);
  EXPECT_EQ(Match("rules { succeeded_indexes: '1,3-5' }", "0-6"), 0);
}

TEST(MatchSuccessPolicyTest, ACountAloneIsOverAllIndexes) {
  EXPECT_EQ(Match("rules { succeeded_count: 2 }", "7"), std::nullopt);
  EXPECT_EQ(Match("rules { succeeded_count: 2 }", "7,9"), 0);
}

TEST(MatchSuccessPolicyTest, BothMeanSoManyOfThose) {
  constexpr char kRule[] =
      "rules { succeeded_indexes: '0-4' succeeded_count: 2 }";
  EXPECT_EQ(Match(kRule, "4,5,6,7"), std::nullopt);
  EXPECT_EQ(Match(kRule, "0,4"), 0);
}

TEST(MatchSuccessPolicyTest, TheFirstRuleThatIsMetIsNamed) {
  EXPECT_EQ(Match("rules { succeeded_indexes: 'x' } rules { succeeded_count: "
                  "5 } rules { succeeded_indexes: '2' }",
                  "2"),
            2);
}

TEST(MatchSuccessPolicyTest, NothingIsMetWithoutAnySuccess) {
  EXPECT_EQ(Match("rules { succeeded_count: 0 }", ""), std::nullopt);
}

}  // namespace
}  // namespace mulligan::job
