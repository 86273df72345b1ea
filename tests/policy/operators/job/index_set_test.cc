#include "policy/operators/job/index_set.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace mulligan::job {
namespace {

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
                      ParseCase{"0", 0, ""}));

// A set of single numbers is the straightforward second implementation.
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

}  // namespace
}  // namespace mulligan::job
