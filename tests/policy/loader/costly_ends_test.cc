// Answers of the built-in policy where a mistake is expensive: work that was
// finished, and services that their own callers overload.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/times.h"
#include "tests/policy/loader/ended_pod.h"

namespace mulligan {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

// `words` as printed by loggers, shells and launchers.
std::vector<std::string> VariantsOf(const std::string& words) {
  std::vector<std::string> variants = {words, words + "\n"};
  for (const char* mark :
       {"INFO:root:", "2026-11-27 10:00:01,123 - INFO - ",
        "[rank0]: ", "[2026-11-27T10:00:01Z] ", "10:00:01.5 ", "train.py] "}) {
    variants.push_back(absl::StrCat("step 9\n", mark, words));
  }
  return variants;
}

constexpr const char* kDone[] = {
    "Training finished",       "training complete!",
    "Training is done.",       "Finished training",
    "Job completed",           "All epochs done",
    "export has finished",     "Simulation completed successfully",
    "run completed in 3 h",    "fine-tuning finished, model saved to /out",
    "All 10 steps completed.", "Done with the training",
};
constexpr const char* kAfterIt[] = {
    "", "\nsaved model to /out", "\n\nbest loss: 0.1\nwandb: synced 5 files"};
// A crash message and its exit code.
struct Crash {
  const char* words;
  int exit_code;
};
constexpr Crash kCrashes[] = {
    {"", 139},
    {"", 134},
    {"\nSegmentation fault (core dumped)", 139},
    {"\nrun.sh: line 3: 17 Segmentation fault (core dumped) python a.py", 1},
    {"\nterminate called without an active exception", 134},
    {"\nfree(): invalid pointer", 134},
    {"\nFatal Python error: Segmentation fault", 139},
};

TEST(CrashedAfterWork, RetriesCheapWorkAndStopsLongWork) {
  for (const char* done : kDone) {
    for (const char* after : kAfterIt) {
      for (const auto& [crash, exit_code] : kCrashes) {
        for (const std::string& variant : VariantsOf(done)) {
          const std::string words = absl::StrCat(variant, after, crash);
          SCOPED_TRACE(words);
          const auto cheap =
              AnswerToEnd({.words = words, .exit_code = exit_code, .ran = 120});
          EXPECT_EQ(cheap.diagnosis().cause(), v1::CRASH_SIGNAL);
          EXPECT_EQ(cheap.diagnosis().outlook(), v1::Diagnosis::MAY_BE_DONE);
          EXPECT_EQ(cheap.decision().action(), v1::Decision::RETRY);
          const auto costly = AnswerToEnd(
              {.words = words, .exit_code = exit_code, .ran = 40 * kOneHour});
          EXPECT_EQ(costly.decision().action(), v1::Decision::FAIL);
          EXPECT_EQ(RuleOfEnd(costly), "crashed-after-work");
          EXPECT_EQ(costly.explanation().decided_by(),
                    v1::Explanation::EXPECTED_HOURS);
          EXPECT_THAT(costly.diagnosis().first_step().text(),
                      HasSubstr("check its output or last checkpoint"));
        }
      }
    }
  }
}

TEST(CrashedAfterWork, NotDuringTheWork) {
  for (const char* words :
       {"epoch 3 finished", "Training epoch 3 finished", "download complete",
        "job download complete", "Epoch 3: training finished",
        "Training finished\nEpoch 4: step 1",
        "Training finished\nloading the test set",
        "Job 12 finished: collect at A.scala:1, took 3 s", "Stage 3 finished",
        "validation done", "finished training epoch 3",
        "training finished for fold 2", "training is not finished",
        "training complete. Starting the evaluation", "all shards done\nstep 4",
        "step 100 done"}) {
    for (const auto& [crash, exit_code] : kCrashes) {
      SCOPED_TRACE(absl::StrCat(words, crash));
      const auto answer = AnswerToEnd({.words = absl::StrCat(words, crash),
                                       .exit_code = exit_code,
                                       .ran = 40 * kOneHour});
      EXPECT_NE(answer.diagnosis().outlook(), v1::Diagnosis::MAY_BE_DONE);
      EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
    }
  }
}

TEST(CrashedAfterWork, NotForOtherFailures) {
  for (const int exit_code : {1, 137, 143}) {
    const auto answer = AnswerToEnd({.words = "Training finished",
                                     .exit_code = exit_code,
                                     .ran = 40 * kOneHour});
    EXPECT_NE(answer.diagnosis().outlook(), v1::Diagnosis::MAY_BE_DONE);
  }
}

constexpr const char* kOverloads[] = {
    "openai.RateLimitError: Error code: 429 - Too Many Requests",
    "An error occurred (SlowDown) when calling the PutObject operation",
    "FATAL: sorry, too many clients already",
    "redis.exceptions.ConnectionError: max number of clients reached",
    "TransportError(429, 'es_rejected_execution_exception')",
    "es_rejected_execution_exception: rejected execution of a bulk",
};

// Start times of `pods`, relative to their end. They are reported one after
// another, `first` seconds after the end and then `apart` seconds apart.
std::vector<absl::Duration> StartsOf(const char* words, int pods,
                                     std::int64_t first, std::int64_t apart,
                                     v1::BudgetLedger& ledger) {
  std::vector<absl::Duration> starts;
  for (int number = 0; number < pods; ++number) {
    const std::int64_t asked = first + number * apart;
    const auto answer =
        AnswerToEnd({.words = words, .number = number, .asked = asked}, ledger);
    EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY) << words;
    EXPECT_EQ(answer.accounting().duplicate(), number > 0) << words;
    starts.push_back(absl::Seconds(asked) +
                     ToDuration(answer.decision().retry_after()));
    ledger = answer.ledger();
  }
  return starts;
}

// The number of tenths of `window` in which a pod starts.
std::size_t PartsOf(const std::vector<absl::Duration>& starts,
                    absl::Duration from, absl::Duration window) {
  std::set<int> parts;
  for (const absl::Duration start : starts) {
    parts.insert(
        static_cast<int>(10 * absl::FDivDuration(start - from, window)));
  }
  return parts.size();
}

TEST(Overloaded, MembersReportedOneByOneStartOneAfterAnother) {
  for (const char* words : kOverloads) {
    for (const std::int64_t first : {5, 600}) {
      SCOPED_TRACE(absl::StrCat(words, " asked after ", first));
      v1::BudgetLedger ledger;
      const auto starts = StartsOf(words, 50, first, 0, ledger);
      const absl::Duration from =
          std::max(absl::Seconds(first), absl::Seconds(12));
      for (const absl::Duration start : starts) {
        EXPECT_THAT(start, Ge(absl::Seconds(first)));
        EXPECT_THAT(start, Le(from + absl::Minutes(2)));
      }
      EXPECT_THAT(PartsOf(starts, from, absl::Minutes(2)), Ge(7u));
      // They are charged once.
      EXPECT_EQ(ledger.attempts_seen(), 1);
      EXPECT_THAT(ledger.history(), SizeIs(1));
    }
  }
}

TEST(Overloaded, AMemberReportedAgainKeepsItsStartTime) {
  v1::BudgetLedger ledger;
  const auto starts = StartsOf(kOverloads[0], 20, 5, 0, ledger);
  // Reported later in another order: past start times are due at once.
  for (int number = 19; number >= 0; --number) {
    const std::int64_t asked = 30;
    const auto again = AnswerToEnd(
        {.words = kOverloads[0], .number = number, .asked = asked}, ledger);
    EXPECT_TRUE(again.accounting().duplicate());
    EXPECT_EQ(absl::Seconds(asked) + ToDuration(again.decision().retry_after()),
              std::max(starts[static_cast<std::size_t>(number)],
                       absl::Seconds(asked)))
        << number;
  }
}

// A gang restarts as a whole, so all of its members get the same start time.
TEST(Overloaded, AGangStartsAtOneTime) {
  v1::BudgetLedger ledger;
  std::set<absl::Duration> starts;
  for (int number = 0; number < 5; ++number) {
    auto request =
        RequestOfEnd({.words = kOverloads[0], .number = number}, ledger);
    auto& owner = *request.mutable_report()
                       ->mutable_pods(0)
                       ->mutable_metadata()
                       ->mutable_owner_references(0);
    owner.set_kind("PyTorchJob");
    const auto answer = AnswerToEnd(request);
    starts.insert(ToDuration(answer.decision().retry_after()));
    ledger = answer.ledger();
  }
  EXPECT_THAT(starts, SizeIs(1));
}

}  // namespace
}  // namespace mulligan
