// An event of a node before a pod was there cannot explain the pod's end.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

constexpr int kBorn = 10000;
constexpr int kEnded = 20000;

struct NodeEventCase {
  const char* name;
  const char* reason;
  const char* message;
  // Cause of a pod that was killed seconds after the event.
  v1::Cause cause;
  // Also explains a kill an hour later: what broke stays broken.
  bool lasts = false;
};

constexpr NodeEventCase kEvents[] = {
    {"KilledForMemory", "OOMKilling",
     "Memory cgroup out of memory: Killed process 99 (java)",
     v1::CONTAINER_OOM},
    {"NodeOutOfMemory", "SystemOOM",
     "System OOM encountered, victim process: python, pid: 4242", v1::HOST_OOM},
    {"NotReady", "NodeNotReady", "Node n status is now: NodeNotReady",
     v1::NODE_LOST, true},
    {"Rebooted", "Rebooted", "Node n has been rebooted", v1::NODE_LOST, true},
    {"Reclaimed", "SpotInterruption", "Spot interruption warning received",
     v1::SPOT_RECLAIMED, true},
};

v1::Cause CauseWith(const NodeEventCase& event, int at) {
  return Diagnose(
             absl::StrCat(
                 "pods { metadata { name: 'p' uid: 'p-1' creation_timestamp { "
                 "seconds: ",
                 kBorn,
                 " } } spec { node_name: 'n' containers { name: 'main' } } "
                 "status { phase: 'Failed' container_statuses { name: 'main' "
                 "state { terminated { exit_code: 137 reason: 'Error' "
                 "finished_at { seconds: ",
                 kEnded,
                 " } } } } } } events { involved_object { kind: 'Node' ",
                 "name: 'n' } type: 'Warning' reason: '", event.reason,
                 "' message: '", event.message,
                 "' last_timestamp { seconds: ", at, " } }"))
      .cause();
}

class NodeEvent : public ::testing::TestWithParam<NodeEventCase> {};

TEST_P(NodeEvent, ExplainsAnEndJustAfterIt) {
  EXPECT_EQ(CauseWith(GetParam(), kEnded - 5), GetParam().cause);
}

TEST_P(NodeEvent, ExplainsNoPodThatCameLater) {
  for (const int at : {kBorn - 1, kBorn - 3600, kBorn - 9999}) {
    EXPECT_EQ(CauseWith(GetParam(), at), v1::SIGKILL_UNEXPLAINED) << at;
  }
}

TEST_P(NodeEvent, AKillDoesNotExplainAPodThatSurvivedIt) {
  EXPECT_EQ(CauseWith(GetParam(), kEnded - 3600),
            GetParam().lasts ? GetParam().cause : v1::SIGKILL_UNEXPLAINED);
}

INSTANTIATE_TEST_SUITE_P(, NodeEvent, ::testing::ValuesIn(kEvents),
                         [](const auto& test) { return test.param.name; });

TEST(NodePast, AKilledProcessOfAnotherPodIsNotOurs) {
  const auto cause = [](const char* uid) {
    return CauseWith({"", "OOMKilling", uid, v1::CONTAINER_OOM}, kEnded - 5);
  };
  constexpr char kOurs[] =
      "Memory cgroup out of memory: Killed process 9 (java)";
  EXPECT_EQ(cause(kOurs), v1::CONTAINER_OOM);
  for (const char* others :
       {"Memory cgroup out of memory: Killed process 9 (java), "
        "oom_memcg=/kubepods/burstable/"
        "pod0f3c12ab-1111-2222-3333-444455556666/abc",
        "Memory cgroup out of memory: Killed process 9 (java), "
        "oom_memcg=/kubepods.slice/"
        "kubepods-pod0f3c12ab_1111_2222_3333_444455556666.slice"}) {
    EXPECT_EQ(cause(others), v1::SIGKILL_UNEXPLAINED) << others;
  }
}

// Some releases of Kueue keep the condition when they readmit the work.
TEST(NodePast, APreemptionBeforeAllPodsConcernsEarlierOnes) {
  const auto cause = [](int preempted) {
    return Diagnose(
               absl::StrCat(
                   "kueue_workload { status { conditions { type: 'Preempted' "
                   "status: 'True' reason: 'InClusterQueue' "
                   "last_transition_time { seconds: ",
                   preempted,
                   " } } } } pods { metadata { name: 'p' creation_timestamp { "
                   "seconds: 10000 } } status { phase: 'Failed' "
                   "container_statuses { name: 'main' state { terminated { "
                   "exit_code: 143 reason: 'Error' finished_at { seconds: "
                   "20000 } } } } } }"))
        .cause();
  };
  EXPECT_EQ(cause(19990), v1::PREEMPTED_QUEUE);
  EXPECT_EQ(cause(9000), v1::SIGTERM_UNEXPLAINED);
}

}  // namespace
}  // namespace mulligan::demystify
