// The table of rules that weigh facts (weighing_cases.cc), and their effect on
// a fact.
#include "policy/demystify/weighing/weighing.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/weighing_cases.h"

namespace mulligan::demystify {
namespace {

TEST(WeighingTable, EachRuleHasItsCase) {
  std::vector<std::string> rules;
  std::vector<std::string> cases;
  for (const Rule& rule : Rules()) rules.emplace_back(rule.name);
  for (const RuleCase& test : RuleCases()) cases.emplace_back(test.rule);
  EXPECT_EQ(rules, cases);
}

std::string NameOf(const Rule* rule) {
  return rule == nullptr ? "none" : std::string(rule->name);
}

class EachRule : public ::testing::TestWithParam<RuleCase> {};

Round RoundOf(std::string_view name) {
  for (const Rule& rule : Rules()) {
    if (rule.name == name) return rule.round;
  }
  ADD_FAILURE() << name << " is no rule";
  return Round::kRead;
}

TEST_P(EachRule, DecidesUntilChanged) {
  const Round round = RoundOf(GetParam().rule);
  Setting now;
  GetParam().decides(now);
  EXPECT_EQ(NameOf(RuleFor(round, now.fact, now.scene)), GetParam().rule);
  GetParam().decides_no_more(now);
  EXPECT_NE(NameOf(RuleFor(round, now.fact, now.scene)), GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(WeighingTable, EachRule,
                         ::testing::ValuesIn(RuleCases().begin(),
                                             RuleCases().end()),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : std::string(test.param.rule)) {
                             if (c != '-') name.push_back(c);
                           }
                           return name;
                         });

// A fact alone keeps the values of its row, except in rounds where absence is
// evidence: a container without an end is a pod still at work.
TEST(Weighing, AFactAloneKeepsTheValuesOfItsRow) {
  for (const Rule& rule : Rules()) {
    if (rule.round == Round::kContainer) continue;
    Setting now;
    now.state.finished_at = 1;
    Weigh(rule.round, now.fact, now.scene);
    EXPECT_EQ(now.fact.tier, kSomeRow.tier) << rule.name;
    EXPECT_EQ(now.fact.confidence, kSomeRow.confidence) << rule.name;
    EXPECT_EQ(now.fact.order, 2 * kSomeRow.weight) << rule.name;
  }
}

TEST(Weighing, AnExcludedFactKeepsTheReason) {
  Setting now;
  now.scene.has_successor = true;
  Weigh(Round::kEvents, now.fact, now.scene);
  EXPECT_FALSE(now.fact.decides());
  EXPECT_STREQ(now.fact.why_not,
               "a pod has taken the place of the one that is gone");
  EXPECT_EQ(now.fact.confidence, kSomeRow.confidence);
}

TEST(Weighing, TheFirstOfSeveralRulesApplies) {
  Setting now;
  now.scene.has_successor = true;
  now.scene.fails = true;
  Weigh(Round::kEvents, now.fact, now.scene);
  EXPECT_STREQ(now.fact.why_not, "the event is about another object");
}

TEST(Weighing, BehindATaintAReclaimCountsBeforeALostNode) {
  Signature lost = kSomeRow;
  lost.cause = v1::NODE_LOST;
  Signature taken = kSomeRow;
  taken.cause = v1::SPOT_RECLAIMED;
  std::vector<Candidate> facts = {MakeCandidate("event", lost, {}, ""),
                                  MakeCandidate("event", taken, {}, "")};
  facts[1].tier = Tier::kHint;
  facts[1].why_not = "announced after the container had ended";
  const Scene scene = {.cause = v1::TAINT_EVICTED, .confidence = kHigh};
  EXPECT_EQ(WeighBehind(facts, scene), 1);
  EXPECT_EQ(facts[1].tier, taken.tier);
  EXPECT_STREQ(facts[1].why_not, "");
  EXPECT_EQ(facts[1].confidence, taken.confidence);
  facts.pop_back();
  EXPECT_EQ(WeighBehind(facts, scene), 0);
  EXPECT_EQ(facts[0].confidence, kHigh) << "the two agree";
  facts.pop_back();
  EXPECT_EQ(WeighBehind(facts, scene), -1);
}

struct WorthCase {
  const char* name;
  Worth worth;
  Tier tier;
  v1::Diagnosis::Confidence confidence;
  int order;
};

TEST(Worth, ChangesOnlyTheStatedFields) {
  const int own = 2 * kContainerWeight;
  const WorthCase cases[] = {
      {"nothing", {}, Tier::kSpecific, kMedium, own},
      {"tier", {.tier = Tier::kGeneric}, Tier::kGeneric, kMedium, own},
      {"confidence", {.confidence = kHigh}, Tier::kSpecific, kHigh, own},
      {"at most", {.at_most = kLow}, Tier::kSpecific, kLow, own},
      {"at most more", {.at_most = kHigh}, Tier::kSpecific, kMedium, own},
      {"among",
       {.among = kQueueWeight},
       Tier::kSpecific,
       kMedium,
       2 * kQueueWeight},
      {"ahead of",
       {.ahead_of = kQueueWeight},
       Tier::kSpecific,
       kMedium,
       2 * kQueueWeight - 1},
      {"ahead of the strongest",
       {.ahead_of_strongest = true},
       Tier::kSpecific,
       kMedium,
       2 * kOtherRow.weight - 1},
      {"message", {.as_message = true}, Tier::kConvention, kHigh, own},
      {"agrees", {.agrees = true}, Tier::kSpecific, kHigh, own},
  };
  const Candidate strongest = MakeCandidate("table", kOtherRow, {}, "");
  const Scene scene = {
      .message = &kOtherRow, .strongest = &strongest, .confidence = kHigh};
  for (const WorthCase& test : cases) {
    Candidate fact = MakeCandidate("table", kSomeRow, {}, "");
    Apply(test.worth, scene, fact);
    EXPECT_EQ(fact.tier, test.tier) << test.name;
    EXPECT_EQ(fact.confidence, test.confidence) << test.name;
    EXPECT_EQ(fact.order, test.order) << test.name;
  }
}

TEST(Worth, AsItsRowRestoresTheRowsValues) {
  Candidate fact = MakeCandidate("table", kSomeRow, {}, "");
  fact.tier = Tier::kHint;
  fact.confidence = kLow;
  Apply({.as_its_row = true}, {}, fact);
  EXPECT_EQ(fact.tier, kSomeRow.tier);
  EXPECT_EQ(fact.confidence, kSomeRow.confidence);
}

}  // namespace
}  // namespace mulligan::demystify
