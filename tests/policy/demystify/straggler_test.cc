// Which member is named by others that waited, aborted or reported an end.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/gang_report.h"

namespace mulligan::demystify {
namespace {

using ::testing::ElementsAre;

constexpr char kWaited[] =
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
    "OpType=ALLREDUCE, NumelIn=64, Timeout(ms)=600000)";

// The member that all others waited for reports nothing, or another operation.
TEST(Straggler, WatchdogsNameTheMemberTheyWaitedFor) {
  struct {
    const char* name;
    std::vector<GangMember> members;
    const char* culprit;
  } const cases[] = {
      {"the one that was torn down after the time-outs",
       {{"a", 143, "Error", 1005, "Terminated"},
        {"b", 134, "Error", 1001, kWaited},
        {"c", 134, "Error", 1000, kWaited}},
       "a"},
      {"the one in another operation",
       {{"a", 134, "Error", 1000, kWaited},
        {"b", 134, "Error", 1001,
         "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6, "
         "OpType=BROADCAST, NumelIn=64)"},
        {"c", 134, "Error", 1002, kWaited}},
       "b"},
      {"no member stands out",
       {{"a", 134, "Error", 1000, kWaited}, {"b", 134, "Error", 1100, kWaited}},
       ""},
      {"killed long before the time-out: that was it",
       {{"a", 137, "Error", 400, ""},
        {"b", 134, "Error", 1001, kWaited},
        {"c", 134, "Error", 1000, kWaited}},
       "a"},
  };
  for (const auto& test : cases) {
    const v1::Diagnosis diagnosis = Diagnose(GangOf(test.members));
    EXPECT_EQ(diagnosis.culprit().pod(), test.culprit) << test.name;
    const auto cascades = CascadesOf(diagnosis);
    EXPECT_EQ(std::count(cascades.begin(), cascades.end(), test.culprit), 0)
        << test.name;
    for (const GangMember& member : test.members) {
      if (member.name == std::string(test.culprit)) {
        EXPECT_EQ(diagnosis.exit_code(), member.code) << test.name;
      }
    }
  }
}

// The member that never gave up waiting is the one that the others waited for.
TEST(Straggler, AMemberThatStillRunsIsTheOneTheyWaitedFor) {
  v1::FailureReport report = GangOf(
      {{"a", 134, "Error", 1000, kWaited}, {"b", 134, "Error", 1001, kWaited}});
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_name("c");
  pod.mutable_spec()->set_node_name("n3");
  pod.mutable_status()->set_phase("Running");
  auto& status = *pod.mutable_status()->add_container_statuses();
  status.set_name("main");
  status.mutable_state()->mutable_running();
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::HANG);
  EXPECT_EQ(diagnosis.culprit().pod(), "c");
  EXPECT_EQ(diagnosis.culprit().node(), "n3");
  EXPECT_THAT(CascadesOf(diagnosis), ElementsAre("a", "b"));
  EXPECT_THAT(diagnosis.summary(), ::testing::HasSubstr("still runs"));
}

TEST(Straggler, NamesTheOperationOfTheMemberThatStandsOut) {
  const v1::Diagnosis diagnosis =
      Diagnose(GangOf({{"a", 134, "Error", 1000, kWaited},
                       {"b", 134, "Error", 1001,
                        "Watchdog caught collective operation timeout: "
                        "WorkNCCL(SeqNum=6, OpType=BROADCAST, NumelIn=64)"},
                       {"c", 134, "Error", 1002, kWaited}}));
  EXPECT_THAT(diagnosis.summary(),
              ::testing::HasSubstr("it was in SeqNum=6 OpType=BROADCAST, the "
                                   "others in SeqNum=7 OpType=ALLREDUCE"));
}

// A launcher that failed while its workers still run.
v1::Diagnosis OfLauncher(const char* words) {
  v1::FailureReport report = GangOf({{"mpi-launcher", 137, "Error", 0, words}});
  for (const char* name : {"mpi-worker-15", "mpi-worker-1"}) {
    auto& pod = *report.add_pods();
    pod.mutable_metadata()->set_name(name);
    pod.mutable_status()->set_phase("Running");
    auto& status = *pod.mutable_status()->add_container_statuses();
    status.set_name("main");
    status.mutable_state()->mutable_running();
  }
  return Diagnose(report);
}

TEST(Straggler, ALauncherNamesTheRankThatDied) {
  const v1::Diagnosis diagnosis = OfLauncher(
      "mpirun noticed that process rank 1 with PID 39 on node "
      "mpi-worker-1 exited on signal 9 (Killed).");
  EXPECT_EQ(diagnosis.cause(), v1::SIGKILL_UNEXPLAINED);
  EXPECT_EQ(diagnosis.culprit().pod(), "mpi-worker-1");
  // The needed evidence is about that pod, too.
  ASSERT_FALSE(diagnosis.needed_evidence().empty());
  EXPECT_EQ(diagnosis.needed_evidence(0).what(),
            "peak memory of pod mpi-worker-1");
}

TEST(Straggler, ALauncherNamesTheRankThatCrashed) {
  const v1::Diagnosis diagnosis = OfLauncher(
      "mpirun noticed that process rank 1 with PID 39 on node "
      "mpi-worker-1 exited on signal 11 (Segmentation fault).");
  EXPECT_EQ(diagnosis.cause(), v1::CRASH_SIGNAL);
  EXPECT_EQ(diagnosis.culprit().pod(), "mpi-worker-1");
}

// "from [0]" names a member if the reporter's own rank is its pod number.
TEST(Straggler, NamesAMemberWaitedForByRank) {
  constexpr char kWaits[] =
      "[rank3]: DistBackendError: [3] is setting up NCCL communicator and "
      "retrieving ncclUniqueId from [0] via c10d key-value store by key '0', "
      "but store->get('0') got error: Socket Timeout";
  const struct {
    std::vector<const char*> running;
    const char* reporter;
    const char* culprit;
  } rows[] = {
      {{"train-0", "train-1"}, "train-3", "train-0"},
      // Eight ranks per pod: no rank is a member's number.
      {{"train-0", "train-1"}, "train-2", "train-2"},
      // Two roles, each with a number 0.
      {{"decode-0", "prefill-0"}, "prefill-3", "prefill-3"},
  };
  for (const auto& row : rows) {
    v1::FailureReport report = GangOf({{row.reporter, 1, "Error", 0, kWaits}});
    for (const char* name : row.running) {
      auto& pod = *report.add_pods();
      pod.mutable_metadata()->set_name(name);
      pod.mutable_status()->set_phase("Running");
      auto& status = *pod.mutable_status()->add_container_statuses();
      status.set_name("main");
      status.mutable_state()->mutable_running();
    }
    const v1::Diagnosis diagnosis = Diagnose(report);
    EXPECT_EQ(diagnosis.cause(), v1::RENDEZVOUS_FAILED);
    EXPECT_EQ(diagnosis.culprit().pod(), row.culprit);
  }
}

// A program may also abort because a peer left.
TEST(Straggler, AKillBeforeABareAbortIsTheRoot) {
  const v1::Diagnosis diagnosis =
      Diagnose(GangOf({{"a", 134, "Error", 1030, "Aborted (core dumped)"},
                       {"b", 143, "Error", 1007, "Terminated"}}));
  EXPECT_EQ(diagnosis.culprit().pod(), "b");
  EXPECT_EQ(diagnosis.cause(), v1::SIGTERM_UNEXPLAINED);
}

}  // namespace
}  // namespace mulligan::demystify
