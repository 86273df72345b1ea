// The budgets of a Job against a plain count of its failures, on random pods.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "policy/native/job/decision.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

constexpr int kRounds = 400;

class Dice {
 public:
  // 0 to `most`.
  int Roll(int most) {
    return std::uniform_int_distribution<int>(0, most)(random_);
  }

 private:
  std::mt19937 random_{20261121};
};

Decision DecideWithBudget(const std::string& job_text,
                          const std::vector<Pod>& pods) {
  Job job = Parse<Job>(job_text);
  SetJobDefaults(Gates(), *job.mutable_spec());
  Pods pointers;
  for (const Pod& pod : pods) pointers.push_back(&pod);
  return DecideJob(job, pointers, Gates(), absl::FromUnixSeconds(100000));
}

bool FailedFor(const Decision& decision, const std::string& reason) {
  return decision.ending.has_value() && decision.ending->failed &&
         decision.ending->reason == reason;
}

// backoffLimit: failures counted before, and failed pods not counted yet.
TEST(JobBudgetProperty, TheJobFailsWithTheFirstFailureBeyondItsLimit) {
  Dice dice;
  for (int round = 0; round < kRounds; ++round) {
    const int limit = dice.Roll(5);
    const int before = dice.Roll(4);
    int failed = 0;
    std::vector<Pod> pods;
    for (int i = dice.Roll(6); i > 0; --i) {
      const char* const phases[] = {kFailedPhase, kRunningPhase,
                                    kSucceededPhase};
      const int phase = dice.Roll(2);
      failed += phase == 0 ? 1 : 0;
      pods.push_back(
          Parse<Pod>(TrackedPod(absl::StrCat("p", i), phases[phase])));
    }
    const Decision decision = DecideWithBudget(
        absl::StrCat(
            "spec { parallelism: 10 completions: 50 backoff_limit: ", limit,
            " } status { start_time { seconds: 5 } failed: ", before, " }"),
        pods);
    SCOPED_TRACE(absl::StrCat("round ", round, ": ", before, " + ", failed,
                              " of ", limit));
    EXPECT_EQ(decision.failures, before + failed);
    EXPECT_EQ(FailedFor(decision, "BackoffLimitExceeded"),
              before + failed > limit);
  }
}

// backoffLimitPerIndex and maxFailedIndexes: each pod states how often its
// index failed before.
TEST(JobBudgetProperty, AnIndexFailsAloneUntilTooManyHave) {
  Dice dice;
  for (int round = 0; round < kRounds; ++round) {
    constexpr int kIndexes = 5;
    const int limit = dice.Roll(3);
    const int most_indexes = dice.Roll(kIndexes);
    int failed = 0;
    std::vector<Pod> pods;
    for (int index = 0; index < kIndexes; ++index) {
      const int before = dice.Roll(3);
      const bool fails = dice.Roll(1) == 0;
      if (fails && before + 1 > limit) ++failed;
      pods.push_back(
          Parse<Pod>(IndexedPod(absl::StrCat("p", index), index, before,
                                fails ? kFailedPhase : kRunningPhase)));
    }
    const Decision decision = DecideWithBudget(
        absl::StrCat("spec { parallelism: 5 completions: 5 completion_mode: "
                     "'Indexed' backoff_limit_per_index: ",
                     limit, " max_failed_indexes: ", most_indexes,
                     " } status { start_time { seconds: 5 } }"),
        pods);
    SCOPED_TRACE(absl::StrCat("round ", round, ": ", failed, " of ",
                              most_indexes, ", limit ", limit));
    EXPECT_EQ(decision.failed_indexes, failed);
    EXPECT_EQ(FailedFor(decision, "MaxFailedIndexesExceeded"),
              failed > most_indexes);
  }
}

}  // namespace
}  // namespace mulligan::job
