#include "policy/operators/flyte/pod.h"

#include <ostream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/flyte/pending.h"
#include "policy/operators/flyte/terminated.h"
#include "tests/policy/operators/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

using ::testing::HasSubstr;

// What three generations make of the same failed pod. The primary container
// is "main".
struct FailedPodCase {
  std::string name;
  std::string status;
  std::string before_1_15_1;
  std::string now;
  std::string with_7899;
};

void PrintTo(const FailedPodCase& test, std::ostream* out) {
  *out << test.name;
}

std::string Ended(const std::string& name, int code,
                  const std::string& reason = "Error") {
  return absl::StrFormat(
      "container_statuses { name: '%s' state { terminated { exit_code: %d "
      "reason: '%s' } } } ",
      name, code, reason);
}

class FailedPodTest : public testing::TestWithParam<FailedPodCase> {};

TEST_P(FailedPodTest, IsJudgedByRelease) {
  const FailedPodCase& test = GetParam();
  const auto status = MessageOf<PodStatus>(test.status);
  const auto judge = [&](const Rules& rules) {
    return Summary(DemystifyFailure(status, "main", rules))
        .substr(std::string("RetryableFailure ").size());
  };
  EXPECT_EQ(judge(SettingsOf("1.15.0").rules), test.before_1_15_1);
  EXPECT_EQ(judge(RulesOf(1)), test.now);
  Rules proposed = RulesOf(2);
  EXPECT_EQ(judge(proposed), test.now);
  SetGate("flyte.pull-7899", true, proposed);
  EXPECT_EQ(judge(proposed), test.with_7899);
}

INSTANTIATE_TEST_SUITE_P(
    Evidence, FailedPodTest,
    testing::Values(
        FailedPodCase{"PlainExit", Ended("main", 1), "USER UnknownError",
                      "SYSTEM Interrupted", "USER Error"},
        FailedPodCase{"PlainExitWithoutReason", Ended("main", 2, ""),
                      "USER UnknownError", "SYSTEM Interrupted",
                      "USER ContainerFailed"},
        FailedPodCase{"LastUserExitCode", Ended("main", 127),
                      "USER UnknownError", "SYSTEM Interrupted", "USER Error"},
        FailedPodCase{"Sigterm", Ended("main", 143), "USER UnknownError",
                      "SYSTEM Interrupted", "SYSTEM Interrupted"},
        FailedPodCase{
            "PlainExitWithASidecar", Ended("main", 1) + Ended("logger", 0),
            "USER UnknownError", "SYSTEM Interrupted", "SYSTEM Interrupted"},
        FailedPodCase{"PrimaryKilled", Ended("main", 137), "USER Interrupted",
                      "SYSTEM Interrupted", "SYSTEM Interrupted"},
        FailedPodCase{"SidecarKilled", Ended("logger", 137), "USER Interrupted",
                      "USER Interrupted", "USER Interrupted"},
        FailedPodCase{"ChildOfALauncherKilled", Ended("main", 247),
                      "USER Interrupted", "SYSTEM Interrupted",
                      "SYSTEM Interrupted"},
        FailedPodCase{"OutOfMemory", Ended("main", 137, "OOMKilled"),
                      "USER OOMKilled", "USER OOMKilled", "USER OOMKilled"},
        FailedPodCase{"NodeShutdownHidesOutOfMemory",
                      "reason: 'Shutdown' " + Ended("main", 137, "OOMKilled"),
                      "SYSTEM Interrupted", "SYSTEM Interrupted",
                      "SYSTEM Interrupted"},
        FailedPodCase{"Evicted", "reason: 'Evicted'", "USER Evicted",
                      "USER Evicted", "USER Evicted"},
        FailedPodCase{
            "EvictedAndKilled", "reason: 'Evicted' " + Ended("main", 137),
            "USER Interrupted", "SYSTEM Interrupted", "SYSTEM Interrupted"},
        FailedPodCase{"Deadline",
                      "reason: 'DeadlineExceeded' " + Ended("main", 143),
                      "USER DeadlineExceeded", "USER DeadlineExceeded",
                      "USER DeadlineExceeded"},
        FailedPodCase{"NodeShutdown", "reason: 'NodeShutdown'",
                      "USER NodeShutdown", "SYSTEM Interrupted",
                      "SYSTEM Interrupted"},
        FailedPodCase{"ReasonsHaveTheirCase", "reason: 'shutdown'",
                      "USER shutdown", "USER shutdown", "USER shutdown"},
        FailedPodCase{"DisruptionTargetIsNotRead",
                      "conditions { type: 'DisruptionTarget' status: 'True' "
                      "reason: 'EvictionByEvictionAPI' } reason: 'Evicted'",
                      "USER Evicted", "USER Evicted", "USER Evicted"},
        FailedPodCase{"Nothing", "", "USER UnknownError", "SYSTEM Interrupted",
                      "SYSTEM Interrupted"}),
    [](const auto& test) { return test.param.name; });

TEST(DemystifyFailureTest, ALaterContainerTakesTheCodeAndNothingTheKind) {
  const auto status = MessageOf<PodStatus>(Ended("main", 137) +
                                           Ended("other", 137, "OOMKilled"));
  const PhaseInfo info = DemystifyFailure(status, "main", RulesOf(1));
  EXPECT_EQ(Summary(info), "RetryableFailure SYSTEM Interrupted");
  EXPECT_THAT(info.error->message, HasSubstr("[other] terminated with exit"));
}

TEST(DemystifyFailureTest, ARestartBeforeCountsInsteadOfThePresentState) {
  const auto status = MessageOf<PodStatus>(
      "container_statuses { name: 'main' "
      "last_state { terminated { exit_code: 137 reason: 'OOMKilled' } } "
      "state { terminated { exit_code: 1 } } }");
  EXPECT_EQ(Summary(DemystifyFailure(status, "main", RulesOf(2))),
            "RetryableFailure USER OOMKilled");
}

TEST(DemystifyFailureTest, SystemCodesMayBeKept) {
  Rules rules = RulesOf(2);
  SetGate("flyte.system-codes", true, rules);
  EXPECT_EQ(Summary(DemystifyFailure(
                MessageOf<PodStatus>("reason: 'NodeShutdown'"), "", rules)),
            "RetryableFailure SYSTEM NodeShutdown");
  EXPECT_EQ(Summary(DemystifyFailure(PodStatus(), "", rules)),
            "RetryableFailure SYSTEM Interrupted");
}

struct RunningPodCase {
  std::string name;
  std::string pod;
  std::string phase;
};

void PrintTo(const RunningPodCase& test, std::ostream* out) {
  *out << test.name;
}

class PodPhaseTest : public testing::TestWithParam<RunningPodCase> {};

TEST_P(PodPhaseTest, FollowsThePodsPhase) {
  const RunningPodCase& test = GetParam();
  EXPECT_EQ(
      Summary(PodPhase(MessageOf<Pod>(test.pod), SettingsOf("v1"), Second(1))),
      test.phase);
}

std::string WithPrimary(const std::string& status) {
  return "metadata { annotations { key: 'primary_container_name' value: "
         "'main' } } status { phase: 'Running' " +
         status + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Phases, PodPhaseTest,
    testing::Values(
        RunningPodCase{"SucceededDespiteOutOfMemory",
                       "status { phase: 'Succeeded' " +
                           Ended("main", 0, "OOMKilled") + "}",
                       "RetryableFailure USER OOMKilled"},
        RunningPodCase{"UnknownRunsInFlyte1", "status { phase: 'Unknown' }",
                       "Running"},
        RunningPodCase{"AllDoneButOneUnknown",
                       "status { phase: 'Running' " + Ended("a", 0) +
                           "container_statuses { name: 'b' } }",
                       "Success"},
        RunningPodCase{"InitContainerStillRuns",
                       "status { phase: 'Running' " + Ended("a", 0) +
                           "init_container_statuses { state { running {} } } }",
                       "Running"},
        RunningPodCase{"NothingKnown", "status { phase: 'Running' }",
                       "Running"},
        RunningPodCase{"PrimaryFailed", WithPrimary(Ended("main", 143)),
                       "RetryableFailure USER Error"},
        RunningPodCase{"PrimaryKilled", WithPrimary(Ended("main", 137)),
                       "RetryableFailure SYSTEM Error"},
        RunningPodCase{
            "PrimaryCrashLoops",
            WithPrimary("container_statuses { name: 'main' restart_count: 99 "
                        "state { waiting { reason: 'CrashLoopBackOff' } } }"),
            "Running"},
        RunningPodCase{"PrimaryNotThere", WithPrimary(Ended("other", 0)),
                       "PermanentFailure USER PrimaryContainerNotFound"},
        RunningPodCase{"PrimaryNotThereYet",
                       WithPrimary("") + "spec { containers { name: 'main' } }",
                       "Running"},
        RunningPodCase{"StateOfNoKind",
                       WithPrimary("container_statuses { name: 'main' }"),
                       "PermanentFailure USER PrimaryContainerNotFound"}),
    [](const auto& test) { return test.param.name; });

struct PendingCase {
  std::string name;
  std::string version;
  // Seconds since the condition Ready became False.
  int elapsed;
  std::string status;
  std::string phase;
};

void PrintTo(const PendingCase& test, std::ostream* out) { *out << test.name; }

class PendingTest : public testing::TestWithParam<PendingCase> {};

TEST_P(PendingTest, IsJudgedByWaitingReasonAndGrace) {
  const PendingCase& test = GetParam();
  const auto status = MessageOf<PodStatus>(
      "conditions { type: 'Ready' status: 'False' reason: 'R' "
      "last_transition_time { seconds: 1000 } } " +
      test.status);
  EXPECT_EQ(Summary(DemystifyPending(status, SettingsOf(test.version),
                                     Second(1000 + test.elapsed))),
            test.phase);
}

std::string Waiting(const std::string& reason, const std::string& message = "",
                    const std::string& list = "container_statuses") {
  return absl::StrFormat(
      "%s { state { waiting { reason: '%s' message: '%s' } } } ", list, reason,
      message);
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, PendingTest,
    testing::Values(
        PendingCase{"Pulling", "v1", 9999, Waiting("ErrImagePull"),
                    "Initializing"},
        PendingCase{"BackOffInGrace", "v1", 179, Waiting("ImagePullBackOff"),
                    "Initializing"},
        PendingCase{"BackOffAtGrace", "v1", 180, Waiting("ImagePullBackOff"),
                    "RetryableFailure USER R|ImagePullBackOff"},
        PendingCase{"RateLimitInFlyte1", "v1", 180,
                    Waiting("ImagePullBackOff", "429 Too Many Requests"),
                    "RetryableFailure USER R|ImagePullBackOff"},
        PendingCase{"RateLimitInFlyte2", "v2", 180,
                    Waiting("ImagePullBackOff", "429 Too Many Requests"),
                    "RetryableFailure SYSTEM R|ImagePullBackOff"},
        PendingCase{"ConfigErrorHasNoGrace", "v1", 0,
                    Waiting("CreateContainerConfigError"),
                    "PermanentFailure USER R|CreateContainerConfigError"},
        PendingCase{"CreateErrorInGrace", "v1", 179,
                    Waiting("CreateContainerError"), "Initializing"},
        PendingCase{"CreateError", "v1", 180, Waiting("CreateContainerError"),
                    "PermanentFailure USER R|CreateContainerError"},
        PendingCase{"BadImageName", "v1", 0, Waiting("InvalidImageName"),
                    "PermanentFailure USER R|InvalidImageName"},
        PendingCase{"UnknownReason", "v1", 0, Waiting("ErrImageNeverPull"),
                    "RetryableFailure SYSTEM R|ErrImageNeverPull"},
        PendingCase{"FirstContainerHidesTheSecond", "v1", 999,
                    Waiting("ContainerCreating") + Waiting("InvalidImageName"),
                    "Initializing"},
        PendingCase{"InitContainerUnseenInFlyte1", "v1", 999,
                    Waiting("InvalidImageName", "", "init_container_statuses") +
                        Waiting("PodInitializing"),
                    "Initializing"},
        PendingCase{"InitContainerInFlyte2", "v2", 999,
                    Waiting("InvalidImageName", "", "init_container_statuses") +
                        Waiting("PodInitializing"),
                    "PermanentFailure USER R|InvalidImageName"},
        PendingCase{"NobodyWaits", "v1", 999, "", "Queued"}),
    [](const auto& test) { return test.param.name; });

TEST(DemystifyPendingTest, AConditionWithoutATimeIsInfinitelyOld) {
  const auto status =
      MessageOf<PodStatus>("conditions { type: 'Ready' status: 'False' } " +
                           Waiting("ImagePullBackOff"));
  const PhaseInfo info = DemystifyPending(status, SettingsOf("v1"), Second(0));
  EXPECT_EQ(info.phase, Phase::kRetryableFailure);
  EXPECT_TRUE(info.cleanup_on_failure);
  EXPECT_EQ(info.error->message, "Grace period [3m0s] exceeded||");
}

TEST(DemystifyPendingTest, TheTimeoutIsTheUsersInFlyte1AndTheSystemsInFlyte2) {
  const auto status = MessageOf<PodStatus>(
      "conditions { type: 'PodScheduled' status: 'False' reason: "
      "'Unschedulable' message: 'no node' last_transition_time { seconds: 1 } "
      "}");
  for (const auto& [version, kind] :
       {std::pair("v1", "USER"), std::pair("v2", "SYSTEM")}) {
    Settings settings = SettingsOf(version);
    EXPECT_EQ(Summary(DemystifyPending(status, settings, Second(99))),
              "Queued");
    settings.pod_pending_timeout = absl::Seconds(98);
    const PhaseInfo info = DemystifyPending(status, settings, Second(99));
    EXPECT_EQ(Summary(info),
              absl::StrFormat("RetryableFailure %s PodPendingTimeout", kind));
    EXPECT_EQ(info.error->message, "Unschedulable:no node");
  }
}

}  // namespace
}  // namespace mulligan::flyte
