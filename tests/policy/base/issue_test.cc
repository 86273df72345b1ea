#include "policy/base/issue.h"

#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(IssueTest, FormatsWhatIsKnown) {
  EXPECT_EQ(FormatIssue({Issue::Severity::kError, "a.yaml", {3, 7}, "bad"}),
            "a.yaml:3:7: error: bad");
  EXPECT_EQ(FormatIssue({Issue::Severity::kWarning, "a.yaml", {3, 0}, "odd"}),
            "a.yaml:3: warning: odd");
  EXPECT_EQ(FormatIssue({Issue::Severity::kError, "", {}, "bad"}),
            "error: bad");
}

TEST(IssueTest, WarningsDoNotForbidLoading) {
  EXPECT_FALSE(HasErrors({{Issue::Severity::kWarning, "", {}, ""}}));
  EXPECT_TRUE(HasErrors({{Issue::Severity::kWarning, "", {}, ""},
                         {Issue::Severity::kError, "", {}, ""}}));
}

TEST(SourceMapTest, FallsBackToTheNearestAncestor) {
  SourceMap map("f");
  map.Add("spec.rules[2]", {5, 3});
  map.Add("spec.budgets[a]", {9, 1});
  map.Add("spec", {2, 1});
  EXPECT_EQ(map.Find("spec.rules[2].then.budget").line, 5);
  EXPECT_EQ(map.Find("spec.rules[3].then").line, 2);
  EXPECT_EQ(map.Find("spec.budgets[a].limit").line, 9);
  EXPECT_EQ(map.Find("metadata.name").line, 0);
  map.Add("", {1, 1});
  EXPECT_EQ(map.Find("metadata.name").line, 1);
}

}  // namespace
}  // namespace mulligan
