#include "policy/operators/flyte/budget.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/flyte/array.h"
#include "policy/operators/flyte/node.h"
#include "policy/operators/flyte/v2_budget.h"
#include "tests/policy/operators/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

using ::testing::HasSubstr;

// A straightforward account: how many runs of each kind of failure there were,
// against how many the documentation promises.
class Account {
 public:
  Account(std::uint32_t runs, std::uint32_t system_retries, bool shared)
      : runs_(runs), system_retries_(system_retries), shared_(shared) {}

  // Whether another run follows.
  bool Fail(ErrorKind kind) {
    const bool system = kind == ErrorKind::kSystem;
    (system ? system_ : user_)++;
    if (shared_) return system_ + user_ < runs_;
    return system ? system_ <= system_retries_ : user_ < runs_;
  }

 private:
  const std::uint32_t runs_;
  const std::uint32_t system_retries_;
  const bool shared_;
  std::uint32_t user_ = 0;
  std::uint32_t system_ = 0;
};

TEST(BudgetTest, AgreesWithAPlainAccountOnEverySequenceOfFailures) {
  constexpr std::uint32_t kLength = 9;
  for (std::uint32_t sequence = 0; sequence < (1U << kLength); ++sequence) {
    for (std::uint32_t runs = 1; runs <= 3; ++runs) {
      for (const bool shared : {false, true}) {
        RetryBudget budget;
        budget.ignore_retry_cause = shared;
        budget.default_max_attempts = runs;
        budget.max_system_retries = 2;
        Account account(runs, 2, shared);
        NodeState state = {NodePhase::kRunning, {}};
        for (std::uint32_t i = 0; i < kLength; ++i) {
          const ErrorKind kind = ((sequence >> i) & 1U) != 0
                                     ? ErrorKind::kSystem
                                     : ErrorKind::kUser;
          const HandlerResult result =
              ExecuteRound({HandlerPhase::kRetryableFailure, "",
                            ExecutionError{"", "", kind}},
                           NodeClocks(), budget, state.counters);
          const bool again = account.Fail(kind);
          ASSERT_EQ(result.phase == HandlerPhase::kRetryableFailure, again)
              << "sequence " << sequence << " step " << i << " runs " << runs
              << " shared " << shared;
          if (!again) break;
          state = AfterCleanUp(AfterRound(state, result));
          ASSERT_EQ(state.counters.attempts, i + 1);
        }
      }
    }
  }
}

TEST(BudgetTest, OneMeansTheDefaultAndZeroNoRunAtAll) {
  RetryBudget budget;
  budget.default_max_attempts = 5;
  EXPECT_EQ(MaxAttempts(budget), 5);
  budget.min_attempts = 1;
  EXPECT_EQ(MaxAttempts(budget), 5);
  budget.min_attempts = 0;
  EXPECT_EQ(MaxAttempts(budget), 0);
  EXPECT_FALSE(EligibleForRetry(budget, {}, ErrorKind::kUser).eligible);
}

TEST(BudgetTest, UnknownKindsAreTheUsers) {
  RetryBudget budget;
  EXPECT_FALSE(EligibleForRetry(budget, {}, ErrorKind::kUnknown).eligible);
  EXPECT_TRUE(EligibleForRetry(budget, {}, ErrorKind::kSystem).eligible);
}

TEST(BudgetTest, MoreSystemFailuresThanAttemptsWrapAroundAsInThePeer) {
  const Eligibility retry =
      EligibleForRetry(RetryBudget(), {0, 2}, ErrorKind::kUser);
  EXPECT_EQ(retry.current, 4294967295U);
  EXPECT_FALSE(retry.eligible);
}

TEST(BudgetTest, AnExhaustedSystemBudgetIsReportedAsTheUsers) {
  RetryBudget budget;
  budget.max_system_retries = 1;
  const HandlerResult result =
      ExecuteRound({HandlerPhase::kRetryableFailure, "",
                    ExecutionError{"Interrupted", "m", ErrorKind::kSystem}},
                   NodeClocks(), budget, {1, 1});
  EXPECT_EQ(result.phase, HandlerPhase::kFailed);
  EXPECT_EQ(result.error->code, "RetriesExhausted|Interrupted");
  EXPECT_EQ(result.error->kind, ErrorKind::kUser);
  EXPECT_EQ(result.error->message,
            "[1/1] currentAttempt done. Last Error: SYSTEM::m");
}

// The rule in words: the last |T| of M runs are not on spot.
TEST(InterruptibleTest, AgreesWithTheRuleInWords) {
  for (std::uint32_t retries = 0; retries <= 5; ++retries) {
    const std::int32_t runs = static_cast<std::int32_t>(retries) + 1;
    for (std::int32_t threshold = -runs; threshold <= runs; ++threshold) {
      for (std::int32_t failures = 0; failures < runs; ++failures) {
        RetryBudget budget;
        budget.max_system_retries = retries;
        budget.interruptible_threshold = threshold;
        const bool spot =
            threshold > 0 ? failures < threshold : failures < runs + threshold;
        EXPECT_EQ(IsInterruptible(true, budget,
                                  {9, static_cast<std::uint32_t>(failures)}),
                  spot)
            << retries << " " << threshold << " " << failures;
        budget.ignore_retry_cause = true;
        budget.default_max_attempts = static_cast<std::uint32_t>(runs);
        EXPECT_EQ(IsInterruptible(true, budget,
                                  {static_cast<std::uint32_t>(failures), 0}),
                  failures == 0 || spot);
      }
    }
  }
}

TEST(InterruptibleTest, AThresholdBeyondAllRunsStaysOnSpotForEver) {
  RetryBudget budget;
  budget.max_system_retries = 3;
  budget.interruptible_threshold = -5;
  EXPECT_TRUE(IsInterruptible(true, budget, {4, 4}));
  EXPECT_FALSE(IsInterruptible(false, budget, {0, 0}));
}

TEST(MinAttemptsTest, TheNodeGoesFirstAndZeroIsUnset) {
  EXPECT_EQ(ComputeMinAttempts(0, 0), std::nullopt);
  EXPECT_EQ(ComputeMinAttempts(0, 2), 3);
  EXPECT_EQ(ComputeMinAttempts(1, 2), 2);
}

HandlerResult AfterSeconds(int queued, int running, HandlerPhase phase) {
  NodeClocks clocks;
  clocks.since_queued = absl::Seconds(queued);
  clocks.since_attempt = absl::Seconds(running);
  clocks.active_deadline = absl::Seconds(20);
  clocks.execution_deadline = absl::Seconds(10);
  return ApplyDeadlines(
      {phase, "", ExecutionError{"Interrupted", "", ErrorKind::kSystem}},
      clocks);
}

TEST(DeadlineTest, TheActiveOneGoesFirstAndEndsEverything) {
  EXPECT_EQ(AfterSeconds(20, 10, HandlerPhase::kRunning).phase,
            HandlerPhase::kRunning);
  const HandlerResult late = AfterSeconds(20, 11, HandlerPhase::kRunning);
  EXPECT_EQ(late.phase, HandlerPhase::kRetryableFailure);
  EXPECT_EQ(late.reason, "task execution timeout [10s] expired");
  const HandlerResult over = AfterSeconds(21, 11, HandlerPhase::kRunning);
  EXPECT_EQ(over.phase, HandlerPhase::kTimedOut);
  EXPECT_EQ(over.reason, "task active timeout [20s] expired");
  EXPECT_FALSE(over.error.has_value());
}

TEST(DeadlineTest, APreemptionSeenTooLateIsTheUsers) {
  const HandlerResult result =
      AfterSeconds(1, 11, HandlerPhase::kRetryableFailure);
  EXPECT_EQ(result.error->code, "TimeoutExpired");
  EXPECT_EQ(result.error->kind, ErrorKind::kUser);
}

TEST(DeadlineTest, WhatIsOverIsNotLate) {
  for (const HandlerPhase phase :
       {HandlerPhase::kSuccess, HandlerPhase::kFailed, HandlerPhase::kSkip,
        HandlerPhase::kRecovered}) {
    EXPECT_EQ(AfterSeconds(99, 99, phase).phase, phase);
  }
}

TEST(NodeTest, ARetryCountsWhenTheOldObjectIsGone) {
  NodeState state = AfterRound({NodePhase::kRunning, {}},
                               {HandlerPhase::kRetryableFailure, "",
                                ExecutionError{"", "", ErrorKind::kSystem}});
  EXPECT_EQ(state.phase, NodePhase::kRetryableFailure);
  EXPECT_EQ(state.counters.attempts, 0);
  EXPECT_EQ(state.counters.system_failures, 1);
  state = AfterCleanUp(state);
  EXPECT_EQ(state.phase, NodePhase::kRunning);
  EXPECT_EQ(state.counters.attempts, 1);
  EXPECT_EQ(AfterCleanUp({NodePhase::kTimingOut, {}}).phase,
            NodePhase::kTimedOut);
  EXPECT_TRUE(IsEnd(NodePhase::kTimedOut));
  EXPECT_FALSE(NeedsCleanUp(NodePhase::kTimedOut));
}

TEST(NodeTest, NamesReadBack) {
  for (int i = 0; i <= static_cast<int>(NodePhase::kRecovered); ++i) {
    const auto phase = static_cast<NodePhase>(i);
    EXPECT_EQ(NodePhaseNamed(NodePhaseName(phase)), phase);
  }
  for (int i = 0; i <= static_cast<int>(HandlerPhase::kRecovered); ++i) {
    const auto phase = static_cast<HandlerPhase>(i);
    EXPECT_EQ(HandlerPhaseNamed(HandlerPhaseName(phase)), phase);
  }
  for (int i = 0; i <= static_cast<int>(Phase::kAborted); ++i) {
    const auto phase = static_cast<Phase>(i);
    EXPECT_EQ(PhaseNamed(PhaseName(phase)), phase);
  }
  EXPECT_EQ(NodePhaseNamed("running"), std::nullopt);
}

TEST(NodeTest, AnUndefinedPhaseIsAnError) {
  EXPECT_FALSE(HandlerResultOf(InPhase(Phase::kUndefined)).ok());
  EXPECT_EQ(HandlerResultOf(InPhase(Phase::kQueued))->phase,
            HandlerPhase::kRunning);
}

TEST(ArrayTest, FailsAsSoonAsTooFewCanSucceed) {
  using P = NodePhase;
  const std::vector<P> one_failed = {P::kSucceeded, P::kFailed, P::kRunning};
  EXPECT_EQ(AggregateElements(one_failed, {}), ArrayPhase::kFailing);
  EXPECT_EQ(AggregateElements(one_failed, {2, std::nullopt}),
            ArrayPhase::kExecuting);
  EXPECT_EQ(AggregateElements(one_failed, {std::nullopt, 0.5}),
            ArrayPhase::kExecuting);
  EXPECT_EQ(AggregateElements({P::kSucceeded, P::kTimedOut}, {1, std::nullopt}),
            ArrayPhase::kSucceeding);
  EXPECT_EQ(AggregateElements({}, {}), ArrayPhase::kSucceeding);
}

TEST(ArrayTest, TheLegacyPluginHasOneLimitForAllCauses) {
  EXPECT_EQ(LegacyElementPhase(Phase::kRetryableFailure, 0, 2),
            Phase::kRetryableFailure);
  EXPECT_EQ(LegacyElementPhase(Phase::kRetryableFailure, 1, 2),
            Phase::kPermanentFailure);
  EXPECT_EQ(LegacyElementPhase(Phase::kRunning, 9, 2), Phase::kRunning);
}

TEST(ArrayTest, TheLegacyPluginWaitsForItsPlacesAndEndsWithItsElements) {
  EXPECT_EQ(LegacyLaunchPhase(true), Phase::kQueued);
  EXPECT_EQ(LegacyLaunchPhase(false), Phase::kWaitingForResources);
  EXPECT_EQ(LegacyArrayPhaseName(Phase::kWaitingForResources),
            "PhaseCheckingSubTaskExecutions");
  EXPECT_EQ(LegacyArrayPhaseName(Phase::kRetryableFailure),
            "PhaseCheckingSubTaskExecutions");
  EXPECT_EQ(LegacyArrayPhaseName(Phase::kPermanentFailure),
            "PhaseAbortSubTasks");
  EXPECT_EQ(LegacyArrayPhaseName(Phase::kSuccess), "PhaseWriteToDiscovery");
}

TEST(ArrayTest, TheLegacyPluginLaunchesWhatHasNoPod) {
  for (const Phase phase : {Phase::kUndefined, Phase::kWaitingForResources,
                            Phase::kRetryableFailure}) {
    EXPECT_TRUE(IsLegacyElementLaunched(phase)) << PhaseName(phase);
  }
  for (const Phase phase : {Phase::kQueued, Phase::kRunning, Phase::kSuccess,
                            Phase::kPermanentFailure}) {
    EXPECT_FALSE(IsLegacyElementLaunched(phase)) << PhaseName(phase);
  }
}

TEST(Flyte2Test, ToleratesAsManySystemFailuresInARowAsConfigured) {
  for (std::uint32_t most = 1; most <= 5; ++most) {
    TaskActionCounters counters;
    for (std::uint32_t failure = 1; failure <= most; ++failure) {
      const auto verdict =
          RecordSystemError({"pod", "", "boom"}, counters, most);
      EXPECT_FALSE(verdict.terminal);
      EXPECT_EQ(verdict.requeue_after, absl::Seconds(10));
      counters = verdict.counters;
    }
    const auto verdict = RecordSystemError({"pod", "", "boom"}, counters, most);
    EXPECT_TRUE(verdict.terminal);
    EXPECT_EQ(verdict.error->code, "MaxSystemFailuresExceeded");
    EXPECT_THAT(verdict.error->message, HasSubstr("boom"));
    EXPECT_EQ(verdict.counters.attempts, 1);
  }
  EXPECT_EQ(MaxSystemFailures(0), 3);
}

TEST(Flyte2Test, ASystemFailureIsCountedWithItsCodeInTheText) {
  EXPECT_EQ(SystemErrorText(RetryableFailure(
                ErrorKind::kSystem, "ResourceDeletedExternally", "node lost")),
            "[ResourceDeletedExternally] node lost");
  EXPECT_EQ(SystemErrorText(InPhase(Phase::kRunning)),
            "system retryable failure");
}

TEST(Flyte2Test, TheCountersDoNotOverflow) {
  TaskActionCounters counters;
  counters.system_failures = 4294967295U;
  EXPECT_EQ(RecordSystemError({}, counters, 0).counters.system_failures,
            4294967295U);
}

TEST(Flyte2Test, AUserFailureClearsTheSystemsCountAndKeepsItsOwnError) {
  const PhaseInfo failure = RetryableFailure(ErrorKind::kUser, "Error", "m");
  auto verdict = RecordUserFailure(failure, {1, 2}, 2);
  EXPECT_FALSE(verdict.terminal);
  EXPECT_EQ(verdict.counters.attempts, 2);
  EXPECT_EQ(verdict.counters.system_failures, 0);
  verdict = RecordUserFailure(failure, verdict.counters, 2);
  EXPECT_TRUE(verdict.terminal);
  EXPECT_EQ(verdict.error->code, "Error");
  EXPECT_TRUE(
      RecordUserFailure(PermanentFailure(ErrorKind::kUser, "x", ""), {}, 9)
          .terminal);
}

TEST(Flyte2Test, TheTasksOwnFlagIsReadOnlyWithTheProposal) {
  EXPECT_FALSE(IsInterruptibleV2(std::nullopt, true, false));
  EXPECT_TRUE(IsInterruptibleV2(std::nullopt, true, true));
  EXPECT_FALSE(IsInterruptibleV2(false, true, true));
}

}  // namespace
}  // namespace mulligan::flyte
