// The yardstick is measured: answers that are right violate nothing, and each
// wrong one violates what it ought to.
#include "tests/stories/invariants.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/stories/signs.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::stories {
namespace {

using ::testing::Contains;
using testing::EqualsProto;
using ::testing::IsEmpty;

ToldStory Recorded(const std::string& name) {
  auto story = ReadStory(testing::SourcePath("tests/stories/recorded") /
                         (name + ".jsonl"));
  EXPECT_TRUE(story.ok()) << story.status();
  return ToldStory(story.ok() ? *std::move(story) : Story());
}

bool Shows(const v1::FailureReport& report, const Incident& incident) {
  return std::ranges::any_of(report.pods(), [&incident](const auto& pod) {
    return EndedBadly(pod) && incident.ended.contains(pod.metadata().uid());
  });
}

// Of one who knows the stream, in a story of one budget: each incident is
// charged and retried when it is first told while it is open.
std::vector<Answer> RightAnswers(const ToldStory& told,
                                 const Telling& telling) {
  std::vector<Answer> answers;
  v1::BudgetLedger ledger;
  std::set<const Incident*> charged;
  for (const Ask& ask : telling.asks) {
    Answer& answer = answers.emplace_back();
    auto& decision = *answer.response.mutable_decision();
    decision.set_action(v1::Decision::IGNORE);
    for (const Incident& incident : told.incidents) {
      if (ask.is_old || ask.change < incident.first ||
          ask.change >= incident.closed || !Shows(ask.report, incident) ||
          !charged.insert(&incident).second) {
        continue;
      }
      decision.set_action(v1::Decision::RETRY);
      ledger.set_attempts_seen(ledger.attempts_seen() + 1);
      auto& use = (*ledger.mutable_budgets())[told.story.truth.begin()->first];
      use.set_used(use.used() + 1);
    }
    answer.ledger = ledger;
  }
  return answers;
}

std::vector<std::string> Violated(const ToldStory& told, const Telling& telling,
                                  const std::vector<Answer>& answers) {
  std::vector<std::string> names;
  for (const Violation& one : FindViolations(told, telling, answers)) {
    names.emplace_back(Name(one.invariant));
  }
  return names;
}

TEST(InvariantsTest, RightAnswersViolateNothing) {
  for (const char* name : {"drain-then-success", "jobset-oom-restart"}) {
    const ToldStory told = Recorded(name);
    EXPECT_EQ(told.incidents.size(), 1) << name;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const Telling telling = SampleTelling(told.story, seed);
      EXPECT_THAT(Violated(told, telling, RightAnswers(told, telling)),
                  IsEmpty())
          << name << ", seed " << seed;
    }
  }
}

TEST(InvariantsTest, TheSameSeedTellsTheSame) {
  const ToldStory told = Recorded("drain-then-success");
  const Telling one = SampleTelling(told.story, 232);
  const Telling same = SampleTelling(told.story, 232);
  ASSERT_EQ(one.asks.size(), same.asks.size());
  for (std::size_t i = 0; i < one.asks.size(); ++i) {
    EXPECT_THAT(one.asks[i].report, EqualsProto(same.asks[i].report));
  }
}

// The drained Job, told whole; each row spoils the answers or the telling.
struct Spoilt {
  const char* violates;
  std::function<void(Telling&, std::vector<Answer>&)> spoil;
};

void ChargeOnceMore(Answer& answer) {
  auto& use = (*answer.ledger.mutable_budgets())["disruption"];
  use.set_used(use.used() + 1);
}

void Choose(v1::Decision::Action action, Answer& answer) {
  answer.response.mutable_decision()->set_action(action);
}

const Spoilt kSpoilt[] = {
    {"IsAnswered",
     [](auto&, auto& answers) {
       answers.back().status = absl::InvalidArgumentError("several workloads");
     }},
    {"ChargesTheTruth",
     [](auto&, auto& answers) { answers.back().ledger.clear_budgets(); }},
    {"ChargesWhatWasTold",
     [](auto&, auto& answers) { answers.back().ledger.clear_budgets(); }},
    {"ChargesNoMore",
     [](auto&, auto& answers) { ChargeOnceMore(answers.back()); }},
    {"ChargesNoMore",
     [](auto&, auto& answers) {
       auto& budgets = *answers.back().ledger.mutable_budgets();
       budgets["application"] = budgets["disruption"];
       budgets.erase("disruption");
     }},
    {"ChargesNoHealth",
     [](auto&, auto& answers) { ChargeOnceMore(answers.front()); }},
    {"LeavesAlone",
     [](auto&, auto& answers) { Choose(v1::Decision::RETRY, answers[4]); }},
    {"LetsSuccessBe",
     [](auto&, auto& answers) { Choose(v1::Decision::FAIL, answers.back()); }},
    {"FailsForAReason",
     [](auto&, auto& answers) { Choose(v1::Decision::FAIL, answers[8]); }},
    {"WaitsForTheEnd",
     [](auto& telling, auto& answers) {
       auto& report = telling.asks[5].report;
       auto& pod = *report.mutable_pods(0);
       pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(
           report.observed_at().seconds() + 30);
       auto& response = answers[5].response;
       response.mutable_diagnosis()->mutable_culprit()->set_pod(
           pod.metadata().name());
       Choose(v1::Decision::RETRY, answers[5]);
       response.mutable_decision()->mutable_retry_after()->set_seconds(20);
     }},
    {"ForgetsNothing",
     [](auto& telling, auto& answers) {
       telling.asks.push_back(telling.asks[8]);
       telling.asks.back().is_old = telling.asks.back().is_retold = true;
       answers.push_back(answers.back());
       ChargeOnceMore(answers.back());
     }},
    {"SharesTheLedger",
     [](auto& telling, auto& answers) {
       telling.callers.push_back(telling.callers.front());
       ChargeOnceMore(answers.back());
     }},
};

TEST(InvariantsTest, EachWrongAnswerViolatesWhatItOught) {
  const ToldStory told = Recorded("drain-then-success");
  for (const Spoilt& row : kSpoilt) {
    Telling telling = SampleTelling(told.story, 0);
    std::vector<Answer> answers = RightAnswers(told, telling);
    ASSERT_GT(answers.size(), 9);
    row.spoil(telling, answers);
    EXPECT_THAT(Violated(told, telling, answers), Contains(row.violates));
  }
}

}  // namespace
}  // namespace mulligan::stories
