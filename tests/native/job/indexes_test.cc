#include "policy/native/job/indexes.h"

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/native/job/test_objects.h"
#include "tests/testing/param_name.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kRules[] =
    "pod_failure_policy { rules { action: 'FailIndex' on_exit_codes { "
    "operator: 'In' values: 3 } } rules { action: 'Ignore' on_exit_codes { "
    "operator: 'In' values: 4 } } }";

std::string ExitedWith(int code) {
  return "status { phase: 'Failed' container_statuses { state { terminated { "
         "exit_code: " +
         std::to_string(code) + " } } } }";
}

Job IndexedJob(const std::string& spec, const std::string& status = "") {
  return Parse<Job>("spec { completion_mode: 'Indexed' completions: 5 " + spec +
                    " } status { " + status + " }");
}

TEST(FailsIndexTest, ALimitOfNMeansNRetries) {
  const JobSpec spec = IndexedJob("backoff_limit_per_index: 1").spec();
  const auto fails = [&](int failures) {
    return FailsIndex(Parse<Pod>(IndexedPod("a", 0, failures, kFailedPhase)),
                      spec, Gates());
  };
  EXPECT_FALSE(fails(0));
  EXPECT_TRUE(fails(1));
}

TEST(FailsIndexTest, RulesCanEndAnIndexOrSpareIt) {
  const JobSpec spec =
      IndexedJob("backoff_limit_per_index: 1 " + std::string(kRules)).spec();
  const auto fails = [&](int failures, int code) {
    return FailsIndex(
        Parse<Pod>(IndexedPod("a", 0, failures, ExitedWith(code))), spec,
        Gates());
  };
  EXPECT_TRUE(fails(0, 3));
  EXPECT_FALSE(fails(7, 4));
  EXPECT_FALSE(fails(0, 5));
}

TEST(FailsIndexTest, UnreadableCountsAreZero) {
  for (const char* count : {"-1", "x", "2147483648", "1.0", ""}) {
    Pod pod = Parse<Pod>(IndexedPod("a", 0, 0, kFailedPhase));
    (*pod.mutable_metadata()->mutable_annotations())
        ["batch.kubernetes.io/job-index-failure-count"] = count;
    EXPECT_FALSE(FailsIndex(
        pod, IndexedJob("backoff_limit_per_index: 1").spec(), Gates()))
        << count;
  }
}

TEST(IndexesOfTest, ExtendsTheStatusUpToCompletions) {
  const Job job =
      IndexedJob("backoff_limit_per_index: 0", "failed_indexes: '0,7'");
  const PodOwner pods({IndexedPod("a", 1, 0, kFailedPhase),
                       IndexedPod("b", 6, 0, kFailedPhase),
                       IndexedPod("c", 3, 0, kRunningPhase)});
  EXPECT_EQ(IndexesOf(job, pods.get(), Gates()).failed,
            IndexSet::Parse("0,1", 5));
}

TEST(IndexesOfTest, AddsSucceededPodsThatAreNotAccounted) {
  const Job job = IndexedJob("", "completed_indexes: '0'");
  const PodOwner pods(
      {IndexedPod("a", 1, 0, kSucceededPhase),
       "metadata { annotations { key: "
       "'batch.kubernetes.io/job-completion-index' value: '2' } } status { "
       "phase: 'Succeeded' }"});
  EXPECT_EQ(IndexesOf(job, pods.get(), Gates()).succeeded,
            IndexSet::Parse("0,1", 5));
}

TEST(IndexesOfTest, KeepsTheLatestFailureOfOpenIndexes) {
  const Job job =
      IndexedJob("backoff_limit_per_index: 5", "completed_indexes: '2'");
  const PodOwner pods({IndexedPod("old", 0, 0, kFailedPhase),
                       IndexedPod("new", 0, 1, kFailedPhase),
                       IndexedPod("replaced", 1, 0, kFailedPhase),
                       IndexedPod("running", 1, 1, kRunningPhase),
                       IndexedPod("settled", 2, 0, kFailedPhase)});
  EXPECT_THAT(IndexesOf(job, pods.get(), Gates()).awaiting_replacement,
              ElementsAre(Pair(0, pods.get()[1])));
}

struct ParseCase {
  const char* text;
  int completions;
  const char* normal;
};

std::string TextOf(const std::set<std::int64_t>& numbers) {
  std::string text;
  for (auto it = numbers.begin(); it != numbers.end();) {
    const std::int64_t first = *it;
    std::int64_t last = first;
    while (++it != numbers.end() && *it == last + 1) last = *it;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last == first + 1) text += ',' + std::to_string(last);
    if (last > first + 1) text += '-' + std::to_string(last);
  }
  return text;
}

std::string TextOf(const IndexSet& set) {
  std::set<std::int64_t> numbers;
  for (std::int64_t n = 0; n < 100; ++n) {
    if (set.Contains(n)) numbers.insert(n);
  }
  return TextOf(numbers);
}

class IndexSetParseTest : public ::testing::TestWithParam<ParseCase> {};

TEST_P(IndexSetParseTest, ReadsLeniently) {
  const ParseCase& test = GetParam();
  EXPECT_EQ(TextOf(IndexSet::Parse(test.text, test.completions)), test.normal);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, IndexSetParseTest,
    ::testing::Values(ParseCase{"", 5, ""}, ParseCase{"0", 5, "0"},
                      ParseCase{"0,1", 5, "0,1"}, ParseCase{"0,1,2", 5, "0-2"},
                      ParseCase{"0-1,3-4", 5, "0,1,3,4"},
                      ParseCase{"1-3", 3, "1,2"}, ParseCase{"7,1", 5, ""},
                      ParseCase{"x,1", 5, "1"}, ParseCase{"1-x,3", 5, "3"},
                      ParseCase{"-2,3", 5, "3"}, ParseCase{" 1,2", 5, "2"},
                      ParseCase{"3-2,4", 5, "4"}, ParseCase{"1,,2", 5, "1,2"},
                      ParseCase{"0", 0, ""}),
    [](const auto& row) { return ParamName(row.index, row.param.text); });

// Compared with a std::set of numbers.
TEST(IndexSetTest, BehavesAsASetOfNumbers) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    IndexSet set;
    IndexSet other;
    std::set<std::int64_t> numbers;
    std::set<std::int64_t> other_numbers;
    for (int i = 0; i < 12; ++i) {
      const auto first = static_cast<std::int64_t>(random() % 30);
      const auto last = first + static_cast<std::int64_t>(random() % 3);
      auto& target = i % 2 == 0 ? set : other;
      auto& target_numbers = i % 2 == 0 ? numbers : other_numbers;
      target.Add(first, last);
      for (auto n = first; n <= last; ++n) target_numbers.insert(n);
    }
    std::int64_t common = 0;
    for (const auto n : numbers) {
      common += static_cast<std::int64_t>(other_numbers.count(n));
    }
    EXPECT_EQ(set.CountIn(other), common);
    EXPECT_EQ(other.CountIn(set), common);
    set.Add(other);
    numbers.insert(other_numbers.begin(), other_numbers.end());
    EXPECT_EQ(TextOf(set), TextOf(numbers));
    EXPECT_EQ(set.total(), static_cast<std::int64_t>(numbers.size()));
    EXPECT_EQ(IndexSet::Parse(TextOf(numbers), 100), set);
    for (std::int64_t n = 0; n < 35; ++n) {
      EXPECT_EQ(set.Contains(n), numbers.count(n) > 0) << n;
    }
  }
}

TEST(IndexSetTest, AddingAnEmptyRangeAddsNothing) {
  IndexSet set;
  set.Add(3, 2);
  EXPECT_TRUE(set.empty());
}

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

TEST(MatchSuccessPolicyTest, BothMeanACountOfThoseIndexes) {
  constexpr char kRule[] =
      "rules { succeeded_indexes: '0-4' succeeded_count: 2 }";
  EXPECT_EQ(Match(kRule, "4,5,6,7"), std::nullopt);
  EXPECT_EQ(Match(kRule, "0,4"), 0);
}

TEST(MatchSuccessPolicyTest, NamesTheFirstRuleThatIsMet) {
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
