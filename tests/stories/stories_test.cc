// Plays back recorded stories of real controllers as callers that ask whenever
// something changes, with the ledger carried along. However it is reported,
// each failure is charged once, to the budget of its cause, and nothing else
// is.
//
//   MULLIGAN_PLAYBACKS=100000     the number of playbacks, over all stories
//   MULLIGAN_PLAYBACK_SEED=7      the first seed of each story's playbacks
//   MULLIGAN_STORY=NAME           only this story
//   MULLIGAN_PLAYBACK_FAULTS=0    no objects one version old, no wrong clocks
//   and
//                                 no old reports
//
// With the same settings, one playback and the seed of a message, it is
// repeated.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "policy/request/kind_names.h"
#include "tests/stories/invariants.h"
#include "tests/stories/playback.h"
#include "tests/stories/stream.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::stories {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kPlaybacks = 3000;

int FromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  if (text == nullptr) return usual;
  int value = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << name << "=" << text;
  return value;
}

std::vector<std::string> StoryNames() {
  const char* wanted = std::getenv("MULLIGAN_STORY");
  std::vector<std::string> names;
  for (const auto& file : StoryFiles()) {
    const std::string name = file.stem().string();
    if (wanted == nullptr || name == wanted) names.push_back(name);
  }
  return names;
}

AnnotatedStory ReadAnnotated(const std::string& name) {
  for (const auto& file : StoryFiles()) {
    if (file.stem() != name) continue;
    auto story = ReadStory(file);
    EXPECT_THAT(story, testing::IsOk());
    if (story.ok()) return AnnotatedStory(*std::move(story));
  }
  return AnnotatedStory(Story());
}

const PolicySet& Policies() {
  static const PolicySet* const policies = [] {
    Issues issues;
    return LoadPolicies({EmbeddedPolicy()}, issues).release();
  }();
  return *policies;
}

// Sends the asks in order, each with the ledger of the answer before.
std::vector<Answer> AskAll(const Playback& playback) {
  std::vector<Answer> answers;
  v1::BudgetLedger ledger;
  for (const Ask& ask : playback.asks) {
    Answer& answer = answers.emplace_back();
    v1::DecideRequest request;
    *request.mutable_report() = ask.report;
    request.set_explain(v1::DecideRequest::SUMMARY);
    if (ledger.ByteSizeLong() > 0) *request.mutable_ledger() = ledger;
    answer.status = Decide(request, Policies(), {}, answer.response);
    if (answer.status.ok()) ledger = answer.response.ledger();
    answer.ledger = ledger;
  }
  return answers;
}

std::string Describe(const Playback& playback,
                     const std::vector<Answer>& answers, const Story& story,
                     int ask) {
  const auto at = static_cast<std::size_t>(ask);
  const Ask& asked = playback.asks[at];
  const Change& change = story.changes[static_cast<std::size_t>(asked.change)];
  return absl::StrCat(
      asked.is_old ? "an old report, " : "", "ask ", ask + 1, " of ",
      answers.size(), " by caller ", asked.caller + 1, ", change ",
      asked.change + 1, " of ", story.changes.size(), " (", change.type, " ",
      change.kind, " ", change.name, "): ",
      answers[at].status.ok() ? answers[at].response.decision().sentence()
                              : answers[at].status.ToString());
}

std::string Describe(const AnnotatedStory& annotated, const Playback& playback,
                     const std::vector<Answer>& answers,
                     const Violation& violation) {
  std::string text = absl::StrCat(
      Name(violation.invariant), ": ", violation.what, "\n  story ",
      annotated.story.name, ", seed ", playback.seed, "\n");
  for (const Caller& caller : playback.callers) {
    absl::StrAppend(&text, "  view ", ToText(caller), "\n");
  }
  absl::StrAppend(&text, "  clocks: ", ToText(playback.clock), "\n");
  absl::StrAppend(&text, "  ",
                  Describe(playback, answers, annotated.story, violation.ask),
                  "\n");
  std::map<std::string, int> before;
  for (int i = 0; i <= violation.ask; ++i) {
    const auto charged = Charged(answers[static_cast<std::size_t>(i)].ledger);
    if (charged == before) continue;
    before = charged;
    absl::StrAppend(&text, "  used ", ToText(charged), " after ",
                    Describe(playback, answers, annotated.story, i), "\n");
  }
  return text;
}

// How often each invariant was violated, and a message about the first time.
struct Tally {
  int playbacks = 0;
  int asks = 0;
  std::array<int, kInvariants> violations = {};
  std::array<std::string, kInvariants> first;
};

// Prints the tally of each story at the end.
class Table : public ::testing::Environment {
 public:
  static std::map<std::string, Tally>& Rows() {
    static auto* const rows = new std::map<std::string, Tally>();
    return *rows;
  }

  void TearDown() override {
    if (Rows().empty()) return;
    std::cout << absl::StrFormat("%-32s %9s %9s  violations\n", "story",
                                 "playbacks", "asks");
    for (const auto& [story, tally] : Rows()) {
      std::string violations;
      for (int i = 0; i < kInvariants; ++i) {
        const int count = tally.violations[static_cast<std::size_t>(i)];
        if (count == 0) continue;
        absl::StrAppend(&violations, " ", Name(static_cast<Invariant>(i)), " ",
                        count);
      }
      std::cout << absl::StrFormat("%-32s %9d %9d  %s\n", story,
                                   tally.playbacks, tally.asks,
                                   violations.empty() ? "none" : violations);
    }
  }
};

const auto* const kTable = ::testing::AddGlobalTestEnvironment(new Table);

Tally PlayOften(const AnnotatedStory& annotated, int playbacks, unsigned seed) {
  Tally tally;
  for (int i = 0; i < playbacks; ++i) {
    const Playback playback =
        SamplePlayback(annotated.story, seed + static_cast<unsigned>(i),
                       FromEnvironment("MULLIGAN_PLAYBACK_FAULTS", 1) != 0);
    const std::vector<Answer> answers = AskAll(playback);
    ++tally.playbacks;
    tally.asks += static_cast<int>(answers.size());
    for (const Violation& violation :
         FindViolations(annotated, playback, answers)) {
      const auto kind = static_cast<std::size_t>(violation.invariant);
      if (tally.violations[kind]++ == 0) {
        tally.first[kind] = Describe(annotated, playback, answers, violation);
      }
    }
  }
  return tally;
}

class StoryTest : public ::testing::TestWithParam<std::string> {};

TEST_P(StoryTest, IsChargedWhatHappenedHoweverItIsReported) {
  const AnnotatedStory annotated = ReadAnnotated(GetParam());
  const int stories = static_cast<int>(StoryNames().size());
  const int playbacks =
      std::max(1, FromEnvironment("MULLIGAN_PLAYBACKS", kPlaybacks) / stories);
  const auto seed =
      static_cast<unsigned>(FromEnvironment("MULLIGAN_PLAYBACK_SEED", 0));
  const Tally tally = PlayOften(annotated, playbacks, seed);
  for (std::size_t i = 0; i < kInvariants; ++i) {
    if (tally.violations[i] == 0) continue;
    ADD_FAILURE() << tally.violations[i] << " of " << tally.playbacks
                  << " playbacks, the first:\n"
                  << tally.first[i];
  }
  Table::Rows()[annotated.story.name] = tally;
}

// The invariants themselves detect a wrong truth.
TEST_P(StoryTest, IsNotExplainedByAnotherTruth) {
  AnnotatedStory annotated = ReadAnnotated(GetParam());
  annotated.story.truth["control"] += 7;
  EXPECT_GT(
      PlayOften(annotated, 2, 0)
          .violations[static_cast<std::size_t>(Invariant::kChargesTheTruth)],
      0);
}

TEST_P(StoryTest, NamesBudgetsOfTheDefaultPolicy) {
  const AnnotatedStory annotated = ReadAnnotated(GetParam());
  const auto answers = AskAll(SamplePlayback(annotated.story, 0));
  ASSERT_FALSE(answers.empty());
  std::vector<std::string> budgets;
  for (const auto& budget : answers[0].response.accounting().budgets()) {
    budgets.push_back(budget.name());
  }
  for (const auto& [budget, failures] : annotated.story.truth) {
    EXPECT_THAT(budgets, Contains(budget));
  }
}

bool HasReportField(const std::string& kind) {
  return FindKind(kind) != nullptr && !FindKind(kind)->field.empty();
}

// Checks owners of those kinds for which a report has a field.
template <typename Objects>
void ExpectOwners(const Objects& objects, const std::set<std::string>& uids) {
  for (const auto& object : objects) {
    for (const auto& owner : object.metadata().owner_references()) {
      if (!owner.controller() || !HasReportField(owner.kind())) continue;
      EXPECT_TRUE(uids.contains(owner.uid()))
          << owner.kind() << " " << owner.name() << ", which controls "
          << object.metadata().name() << ", is not in the stream";
    }
  }
}

TEST_P(StoryTest, HasTheOwnersOfItsObjects) {
  const AnnotatedStory annotated = ReadAnnotated(GetParam());
  std::set<std::string> uids;
  for (const Change& change : annotated.story.changes) uids.insert(change.uid);
  for (const Change& change : annotated.story.changes) {
    if (change.type != "ADDED") continue;
    ExpectOwners(change.object.pods(), uids);
    ExpectOwners(change.object.jobs(), uids);
    ExpectOwners(std::array{change.object.job_set()}, uids);
    ExpectOwners(std::array{change.object.ray_cluster()}, uids);
  }
}

TEST(StoriesTest, AreRecorded) { EXPECT_THAT(StoryNames(), Not(IsEmpty())); }

INSTANTIATE_TEST_SUITE_P(Recorded, StoryTest, ::testing::ValuesIn(StoryNames()),
                         [](const auto& story) {
                           std::string name = story.param;
                           std::ranges::replace_if(
                               name,
                               [](char c) {
                                 return !absl::ascii_isalnum(
                                     static_cast<unsigned char>(c));
                               },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace mulligan::stories
