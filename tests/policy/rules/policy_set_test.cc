#include "policy/rules/policy_set.h"

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/glob.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Compiled;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Parse;
using testing::Texts;

using Policies = std::vector<std::unique_ptr<const Ruleset>>;

std::unique_ptr<const Ruleset> Selecting(const std::string& name,
                                         const std::string& selector,
                                         int order = 0) {
  return Compiled(
      absl::StrCat("default { action: FAIL } order: ", order, " ", selector),
      name);
}

std::unique_ptr<const PolicySet> Create(Policies policies, Issues& issues) {
  return PolicySet::Create(std::move(policies), "r", issues);
}

v1::WorkloadReference Workload(const std::string& text) {
  return Parse<v1::WorkloadReference>(text);
}

TEST(GlobTest, StarsMatchAnyRun) {
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("ml-*", "ml-"));
  EXPECT_TRUE(GlobMatches("ml-*-prod", "ml-a-b-prod"));
  EXPECT_TRUE(GlobMatches("*a*b*", "xxaxxbxx"));
  EXPECT_TRUE(GlobMatches("**", "x"));
  EXPECT_FALSE(GlobMatches("ml-*", "ml"));
  EXPECT_FALSE(GlobMatches("a*a", "a"));
  EXPECT_FALSE(GlobMatches("", "x"));
  EXPECT_FALSE(GlobMatches("ml.x", "ml-x"));
}

TEST(PolicySetTest, APolicyOnlyByNameIsFoundAndNeverSelected) {
  Policies policies;
  policies.push_back(Selecting("named", "only_by_name: true", -9));
  policies.push_back(Selecting("all", ""));
  policies.push_back(Selecting("b", "selector { kinds: 'Job' }"));
  Issues issues;
  const auto set = Create(std::move(policies), issues);
  ASSERT_NE(set, nullptr);
  EXPECT_THAT(issues, ::testing::IsEmpty());
  EXPECT_EQ(set->policies().back()->name(), "named");
  EXPECT_EQ(set->Select(Workload("kind: 'Job'")).name(), "b");
  EXPECT_EQ(set->Select(Workload("kind: 'Pod'")).name(), "all");
  ASSERT_NE(set->Find("named"), nullptr);
}

TEST(PolicySetTest, APolicyOnlyByNameIsNotACatchAll) {
  Policies policies;
  policies.push_back(Selecting("named", "only_by_name: true"));
  Issues issues;
  EXPECT_EQ(Create(std::move(policies), issues), nullptr);
}

TEST(PolicySetTest, TriesByOrderThenNameAndTheCatchAllLast) {
  Policies policies;
  policies.push_back(Selecting("all", "", -5));
  policies.push_back(Selecting("b", "selector { kinds: 'Job' }"));
  policies.push_back(Selecting("a", "selector { kinds: 'Job' }"));
  policies.push_back(Selecting("z", "selector { names: 'x' }", -1));
  Issues issues;
  const auto set = Create(std::move(policies), issues);
  ASSERT_NE(set, nullptr);
  std::vector<std::string> names;
  for (const auto& policy : set->policies()) names.push_back(policy->name());
  EXPECT_THAT(names, ::testing::ElementsAre("z", "a", "b", "all"));
  EXPECT_EQ(set->Select(Workload("kind: 'Job'")).name(), "a");
  EXPECT_EQ(set->Select(Workload("kind: 'Job' name: 'x'")).name(), "z");
  EXPECT_EQ(set->Select(Workload("kind: 'Pod'")).name(), "all");
  EXPECT_EQ(set->Find("b")->name(), "b");
  EXPECT_EQ(set->Find("c"), nullptr);
}

TEST(PolicySetTest, NeedsExactlyOneCatchAll) {
  Issues issues;
  Policies none;
  none.push_back(Selecting("a", "selector { kinds: 'Job' }"));
  EXPECT_EQ(Create(std::move(none), issues), nullptr);
  Policies two;
  two.push_back(Selecting("a", ""));
  two.push_back(Selecting("b", "selector {}"));
  EXPECT_EQ(Create(std::move(two), issues), nullptr);
  EXPECT_THAT(Texts(issues), Contains(HasSubstr("no policy is for all")));
  EXPECT_THAT(Texts(issues), Contains(HasSubstr("and so does \"a\"")));
}

TEST(PolicySetTest, RefusesDuplicateNames) {
  Issues issues;
  Policies policies;
  policies.push_back(Selecting("a", ""));
  policies.push_back(Selecting("a", "selector { kinds: 'Job' }"));
  EXPECT_EQ(Create(std::move(policies), issues), nullptr);
  EXPECT_THAT(Texts(issues), Contains(HasSubstr("called \"a\" already")));
}

TEST(PolicySetTest, WarnsOfCoveredSelectors) {
  Issues issues;
  Policies policies;
  policies.push_back(Selecting("all", ""));
  policies.push_back(Selecting("a", "selector { namespaces: 'ml-*' }"));
  policies.push_back(
      Selecting("b", "selector { kinds: 'Job' namespaces: 'ml-x*' }"));
  policies.push_back(Selecting("c", "selector { namespaces: 'm*' }"));
  ASSERT_NE(Create(std::move(policies), issues), nullptr);
  ASSERT_EQ(issues.size(), 1);
  EXPECT_THAT(issues[0].message, HasSubstr("\"b\" is never reached: \"a\""));
}

// A random selector from a small vocabulary, so that workloads often match.
std::string RandomSelector(std::mt19937& random) {
  const auto pick = [&random](std::vector<const char*> words) {
    return std::string(words[random() % words.size()]);
  };
  std::string text = "selector { ";
  if (random() % 2 == 0) {
    absl::StrAppend(&text, "kinds: '", pick({"Job", "Pod", "RayJob"}), "' ");
  }
  for (auto i = random() % 3; i > 0; --i) {
    absl::StrAppend(&text, "namespaces: '",
                    pick({"a", "b", "a*", "*b", "*a*", "ab*", "a*b"}), "' ");
  }
  if (random() % 3 == 0) {
    absl::StrAppend(&text, "names: '", pick({"x", "x*", "*y", "*"}), "' ");
  }
  if (random() % 4 == 0) {
    absl::StrAppend(&text, "match_labels { key: '", pick({"k", "l"}),
                    "' value: '", pick({"1", "2"}), "' } ");
  }
  return text + "}";
}

v1::WorkloadReference RandomWorkload(std::mt19937& random) {
  const auto pick = [&random](std::vector<const char*> words) {
    return words[random() % words.size()];
  };
  v1::WorkloadReference workload;
  workload.set_kind(pick({"Job", "Pod", "RayJob", "Other"}));
  workload.set_namespace_(pick({"", "a", "b", "ab", "aab", "ba", "abb"}));
  workload.set_name(pick({"x", "xy", "y", "z"}));
  if (random() % 2 == 0) (*workload.mutable_labels())["k"] = pick({"1", "2"});
  if (random() % 2 == 0) (*workload.mutable_labels())["l"] = pick({"1", "2"});
  return workload;
}

TEST(PolicySetTest, TheIndexAgreesWithALinearSearch) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Policies policies;
    policies.push_back(Selecting("all", ""));
    for (int i = 0; i < 30; ++i) {
      policies.push_back(Selecting(absl::StrCat("p", i), RandomSelector(random),
                                   static_cast<int>(random() % 3)));
    }
    Issues issues;
    const auto set = Create(std::move(policies), issues);
    // An empty selector is a second catch-all.
    if (set == nullptr) continue;
    for (int i = 0; i < 100; ++i) {
      const v1::WorkloadReference workload = RandomWorkload(random);
      const auto expected = std::find_if(
          set->policies().begin(), set->policies().end(), [&](const auto& p) {
            return Selects(p->compiled().selector, workload);
          });
      ASSERT_EQ(set->Select(workload).name(), (*expected)->name())
          << workload.DebugString();
    }
  }
}

}  // namespace
}  // namespace mulligan
