// Several pods, one incident: class before time, echoes as cascades.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/gang_report.h"

namespace mulligan::demystify {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Disrupt(kubernetes::core::v1::Pod& pod, const char* reason, long at) {
  auto& condition = *pod.mutable_status()->add_conditions();
  condition.set_type("DisruptionTarget");
  condition.set_status("True");
  condition.set_reason(reason);
  condition.mutable_last_transition_time()->set_seconds(at);
}

constexpr char kPeerGone[] =
    "NCCL WARN socketProgress: Connection closed by remote peer node-3<4242>";

TEST(Gang, FirstOwnErrorIsTheRootAndKilledSiblingsAreCascades) {
  const auto diagnosis = Diagnose(GangOf({{"a", 143, "Error", 105, ""},
                                          {"b", 1, "Error", 100, ""},
                                          {"c", 137, "Error", 130, ""}}));
  EXPECT_EQ(diagnosis.cause(), v1::APP_ERROR);
  EXPECT_EQ(diagnosis.culprit().pod(), "b");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a", "c"));
  EXPECT_EQ(diagnosis.cascades(0).exit_code(), 143);
}

TEST(Gang, MemberThatOnlyLostItsPeerIsNeverTheRoot) {
  const auto diagnosis =
      Diagnose(GangOf({{"rank-0", 1, "Error", 100, kPeerGone},
                       {"rank-1", 1, "Error", 101,
                        "ValueError: bad shape\nTraceback (most recent call "
                        "last):"},
                       {"rank-2", 1, "Error", 100, kPeerGone}}));
  EXPECT_EQ(diagnosis.cause(), v1::APP_ERROR);
  EXPECT_EQ(diagnosis.culprit().pod(), "rank-1");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("rank-0", "rank-2"));
}

TEST(Gang, HardwareBeforeEverythingAtAnyTime) {
  const auto diagnosis = Diagnose(GangOf(
      {{"rank-0", 134, "Error", 100,
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)"},
       {"rank-1", 1, "Error", 700,
        "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."},
       {"rank-2", 137, "OOMKilled", 690, ""}}));
  EXPECT_EQ(diagnosis.cause(), v1::GPU_FAULT);
  EXPECT_EQ(diagnosis.culprit().pod(), "rank-1");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("rank-0"));
}

TEST(Gang, DisruptionBeforeTheErrorsItCaused) {
  auto report =
      GangOf({{"a", 1, "Error", 104, ""}, {"b", 143, "Error", 110, ""}});
  Disrupt(*report.mutable_pods(1), "PreemptionByScheduler", 100);
  const auto diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::PREEMPTED_SCHEDULER);
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a"));
}

TEST(Gang, ALostNodeIsNoticedAfterItsPeersHaveFailed) {
  auto report =
      GangOf({{"a", 1, "Error", 100, ""}, {"b", 134, "Error", 130, ""}});
  auto& lost = *report.add_pods();
  lost.mutable_metadata()->set_name("c");
  lost.mutable_status()->set_phase("Failed");
  lost.mutable_status()->set_reason("NodeLost");
  Disrupt(lost, "DeletionByTaintManager", 400);
  const auto diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.culprit().pod(), "c");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a", "b"));
}

TEST(Gang, AnEarlyKillBeforeSilentMembers) {
  const auto diagnosis = Diagnose(GangOf({{"a", 134, "Error", 130, ""},
                                          {"b", 137, "Error", 100, ""},
                                          {"c", 1, "Error", 104, ""}}));
  EXPECT_EQ(diagnosis.culprit().pod(), "b");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a", "c"));
}

// No grace period ends that soon, unless the pod has a shorter one.
TEST(Gang, AKillAboutTheTimeOfTheFirstBareErrorIsTheRoot) {
  struct {
    long killed;
    const char* root;
  } const kCases[] = {
      {100, "b"}, {104, "b"}, {109, "b"}, {110, "a"}, {131, "a"}};
  for (const auto& [killed, root] : kCases) {
    EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 100, ""},
                               {"b", 137, "Error", killed, ""}}))
                  .culprit()
                  .pod(),
              root)
        << killed;
  }
  auto report =
      GangOf({{"a", 1, "Error", 100, ""}, {"b", 137, "Error", 104, ""}});
  report.mutable_pods(1)->mutable_spec()->set_termination_grace_period_seconds(
      3);
  EXPECT_EQ(Diagnose(report).culprit().pod(), "a");
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 100, "ValueError: x"},
                             {"b", 137, "Error", 102, ""}}))
                .culprit()
                .pod(),
            "a");
}

// Watchdogs abort members that wait for a peer that is gone.
TEST(Gang, OfSilentMembersTheFirstIsTheRootWithAnyCode) {
  for (const int first : {1, 255, 134}) {
    for (const int second : {1, 255, 134}) {
      EXPECT_EQ(Diagnose(GangOf({{"b", second, "Error", 103, ""},
                                 {"a", first, "Error", 100, ""}}))
                    .culprit()
                    .pod(),
                "a")
          << first << " before " << second;
    }
  }
}

TEST(Gang, APeersDeathBeforeTheKillMeansTheRootIsNotReported) {
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 100, kPeerGone},
                             {"b", 143, "Error", 140, ""}}))
                .cause(),
            v1::COLLECTIVE_CASCADE);
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 100, kPeerGone},
                             {"b", 143, "Error", 105, ""}}))
                .culprit()
                .pod(),
            "b");
}

TEST(Gang, AnAbortAfterAPeersDeathIsNotTheRoot) {
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 100, kPeerGone},
                             {"b", 134, "Error", 700, ""}}))
                .cause(),
            v1::COLLECTIVE_CASCADE);
}

TEST(Gang, AnEarlySigtermIsTheLaunchersUnlessItIsLongBefore) {
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 108, ""},
                             {"b", 143, "Error", 100, ""}}))
                .culprit()
                .pod(),
            "a");
  EXPECT_EQ(Diagnose(GangOf({{"a", 1, "Error", 190, ""},
                             {"b", 143, "Error", 100, ""}}))
                .culprit()
                .pod(),
            "b");
}

TEST(Gang, OwnErrorLongBeforeADisruptionOfAnotherMember) {
  auto report =
      GangOf({{"a", 1, "Error", 100, ""}, {"b", 143, "Error", 410, ""}});
  Disrupt(*report.mutable_pods(1), "EvictionByEvictionAPI", 400);
  EXPECT_EQ(Diagnose(report).culprit().pod(), "a");
}

TEST(Gang, ADifferenceWithinTheClockSkewIsNotAnOrder) {
  auto report =
      GangOf({{"a", 1, "Error", 95, ""}, {"b", 143, "Error", 110, ""}});
  Disrupt(*report.mutable_pods(1), "EvictionByEvictionAPI", 100);
  EXPECT_EQ(Diagnose(report).cause(), v1::DRAINED);
}

TEST(Gang, MemoryBeforeOtherErrors) {
  const auto diagnosis = Diagnose(
      GangOf({{"a", 1, "Error", 100, ""}, {"b", 137, "OOMKilled", 101, ""}}));
  EXPECT_EQ(diagnosis.cause(), v1::CONTAINER_OOM);
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a"));
}

TEST(Gang, ConnectionErrorsAreEchoesOfAKilledMember) {
  const auto diagnosis = Diagnose(GangOf(
      {{"a", 137, "Error", 100, ""},
       {"b", 1, "Error", 101, "dial tcp 10.0.0.3: connection refused"}}));
  EXPECT_EQ(diagnosis.cause(), v1::SIGKILL_UNEXPLAINED);
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("b"));
}

TEST(Gang, ALaterKillIsNoBetterRootThanANamedError) {
  const auto diagnosis = Diagnose(
      GangOf({{"a", 1, "Error", 100, "dial tcp 10.0.0.3: connection refused"},
              {"b", 143, "Error", 103, ""}}));
  EXPECT_EQ(diagnosis.cause(), v1::DEPENDENCY_UNAVAILABLE);
  EXPECT_EQ(diagnosis.culprit().pod(), "a");
}

// The agent that stops the other workers says so too, and gives them no time.
TEST(Gang, AQuoteOfTheLaunchersOwnChildIsNotAnEcho) {
  for (const char* quoted : {"IndexError: list index out of range",
                             "shards.Gone: shard 7 has no index"}) {
    const std::string log =
        std::string(
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
            " \n"
            "Root Cause (first observed failure):\n"
            "  exitcode  : 1 (pid: 88)\n"
            "  traceback : Traceback (most recent call last):\n"
            "    File \"data.py\", line 51, in load\n  ") +
        quoted;
    const auto diagnosis =
        Diagnose(GangOf({{"w-0", 143, "Error", 1001,
                          "Received 15 death signal, shutting down workers"},
                         {"w-1", 137, "Error", 1002, ""},
                         {"w-2", 1, "Error", 1000, log.c_str()},
                         {"w-3", 143, "Error", 1001, ""}}));
    EXPECT_EQ(diagnosis.cause(), v1::APP_ERROR) << quoted;
    EXPECT_EQ(diagnosis.culprit().pod(), "w-2") << quoted;
    EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("w-0", "w-1", "w-3"));
  }
}

TEST(Gang, OnlyEchoesMeansTheRootIsMissing) {
  const auto diagnosis = Diagnose(GangOf(
      {{"a", 1, "Error", 100, kPeerGone}, {"b", 1, "Error", 100, kPeerGone}}));
  EXPECT_EQ(diagnosis.cause(), v1::COLLECTIVE_CASCADE);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::LOW);
  ASSERT_GT(diagnosis.needed_evidence_size(), 0);
  EXPECT_THAT(diagnosis.needed_evidence(0).what(),
              ::testing::HasSubstr("all pods"));
}

TEST(Gang, MembersThatFailAlikeAreNotCascades) {
  const auto diagnosis = Diagnose(GangOf(
      {{"a", 137, "OOMKilled", 100, ""}, {"b", 137, "OOMKilled", 103, ""}}));
  EXPECT_EQ(diagnosis.culprit().pod(), "a");
  EXPECT_THAT(CascadesOf(diagnosis), IsEmpty());
}

TEST(Gang, EarlierAttemptsOfAnIndexAreLeftOut) {
  auto report = GangOf(
      {{"try-1", 137, "OOMKilled", 100, ""}, {"try-2", 1, "Error", 300, ""}});
  for (int i = 0; i < 2; ++i) {
    auto& pod = *report.mutable_pods(i);
    auto& labels = *pod.mutable_metadata()->mutable_labels();
    labels["batch.kubernetes.io/job-name"] = "j";
    labels["batch.kubernetes.io/job-completion-index"] = "0";
    pod.mutable_status()->mutable_start_time()->set_seconds(i == 0 ? 50 : 200);
  }
  const auto diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::APP_ERROR);
  EXPECT_EQ(diagnosis.culprit().pod(), "try-2");
}

TEST(Gang, EarlierJobSetAttemptsAreLeftOut) {
  auto report =
      GangOf({{"old", 137, "OOMKilled", 0, ""}, {"new", 1, "Error", 0, ""}});
  for (int i = 0; i < 2; ++i) {
    (*report.mutable_pods(i)
          ->mutable_metadata()
          ->mutable_labels())["jobset.sigs.k8s.io/restart-attempt"] =
        std::to_string(i);
  }
  EXPECT_EQ(Diagnose(report).culprit().pod(), "new");
}

TEST(Gang, PeerThatCannotStartExplainsAFailedRendezvous) {
  auto report =
      GangOf({{"a", 1, "Error", 500, "RendezvousTimeoutError: timed out"}});
  auto& stuck = *report.add_pods();
  stuck.mutable_metadata()->set_name("b");
  stuck.mutable_status()->set_phase("Pending");
  auto& condition = *stuck.mutable_status()->add_conditions();
  condition.set_type("PodScheduled");
  condition.set_status("False");
  condition.set_reason("Unschedulable");
  const auto diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::UNSCHEDULABLE);
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a"));
}

TEST(Gang, AllSucceeded) {
  auto report =
      GangOf({{"a", 0, "Completed", 1, ""}, {"b", 0, "Completed", 1, ""}});
  for (auto& pod : *report.mutable_pods()) {
    pod.mutable_status()->set_phase("Succeeded");
  }
  EXPECT_EQ(Diagnose(report).cause(), v1::SUCCEEDED);
}

TEST(Gang, SomeSucceededAndSomeRunIsNotDone) {
  auto report = GangOf({{"a", 0, "Completed", 1, ""}});
  report.mutable_pods(0)->mutable_status()->set_phase("Succeeded");
  report.add_pods()->mutable_status()->set_phase("Running");
  EXPECT_EQ(Diagnose(report).cause(), v1::NOT_FAILED);
}

TEST(Gang, OfIdenticalMembersTheFirstByNameIsTheRoot) {
  EXPECT_EQ(Diagnose(GangOf({{"b", 1, "Error", 100, "KeyError: 'x'"},
                             {"a", 1, "Error", 100, "KeyError: 'x'"}}))
                .culprit()
                .pod(),
            "a");
}

TEST(Gang, OrderOfPodsDoesNotMatter) {
  std::vector<GangMember> members = {
      {"a", 143, "Error", 105, ""},
      {"b", 1, "Error", 100, "AssertionError: x"},
      {"c", 1, "Error", 101, kPeerGone},
      {"d", 137, "Error", 130, ""}};
  const auto first = Diagnose(GangOf(members));
  for (std::size_t i = 1; i < members.size(); ++i) {
    std::rotate(members.begin(), members.begin() + 1, members.end());
    const auto rotated = Diagnose(GangOf(members));
    EXPECT_EQ(rotated.culprit().pod(), first.culprit().pod());
    EXPECT_EQ(rotated.cause(), first.cause());
    EXPECT_EQ(rotated.cascades_size(), first.cascades_size());
    EXPECT_EQ(rotated.fingerprint(), first.fingerprint());
  }
}

}  // namespace
}  // namespace mulligan::demystify
