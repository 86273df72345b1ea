#include "policy/operators/kueue/nodes.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/kueue/failure_recovery.h"
#include "tests/policy/operators/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Workload PlacedWorkload() {
  Workload workload = AdmittedWorkload(1);
  *workload.mutable_spec()->add_pod_sets() =
      Parsed<kubernetes::kueue::v1beta2::PodSet>(R"(
      name: "main"
      template { spec { tolerations {
        key: "soft" operator: "Exists" toleration_seconds: 60
      } } })");
  *workload.mutable_status()->mutable_admission()->add_pod_set_assignments() =
      Parsed<PodSetAssignment>(R"(
      name: "main"
      topology_assignment {
        levels: "rack"
        levels: "kubernetes.io/hostname"
        slices {
          domain_count: 2
          values_per_level { universal: "r1" }
          values_per_level {
            individual { prefix: "node-" suffix: "-x" roots: "1" roots: "2" }
          }
        }
      })");
  return workload;
}

Node NodeWith(const std::string& text) { return Parsed<Node>(text); }

const char kReady[] = "status { conditions { type: 'Ready' status: 'True' } }";
const char kNotReady[] =
    "status { conditions { type: 'Ready' status: 'Unknown' "
    "last_transition_time { seconds: 90 } } }";

TEST(KueueAssignedNodesTest, ReadsBothFormsOfAnAssignment) {
  Workload workload = PlacedWorkload();
  EXPECT_THAT(AssignedNodes(workload.status()),
              ElementsAre("node-1-x", "node-2-x"));
  *workload.mutable_status()->mutable_admission() = Parsed<Admission>(R"(
      pod_set_assignments {
        topology_assignment {
          levels: "kubernetes.io/hostname"
          domains { values: "b" count: 1 }
        }
      }
      pod_set_assignments {
        topology_assignment {
          levels: "kubernetes.io/hostname"
          slices { values_per_level { universal: "b" } }
          slices { values_per_level { universal: "a" } }
          slices { }
        }
      }
      pod_set_assignments {
        topology_assignment {
          levels: "rack"
          domains { values: "r" count: 1 }
        }
      })");
  EXPECT_THAT(AssignedNodes(workload.status()), ElementsAre("b", "a"));
}

struct HealthCase {
  const char* name;
  std::string node;
  // Pods on the node, in text format.
  std::vector<std::string> pods;
  bool healthy;
};

class KueueHealthTest : public testing::TestWithParam<HealthCase> {};

TEST_P(KueueHealthTest, IsJudgedByTheNodeAndItsPods) {
  const HealthCase& test = GetParam();
  const Node node = NodeWith(test.node);
  std::vector<Pod> pods;
  for (const std::string& text : test.pods) pods.push_back(Parsed<Pod>(text));
  NodeView view;
  view.name = "node-1-x";
  view.node = &node;
  for (const Pod& pod : pods) view.pods.push_back(&pod);
  view.now = Second(100);
  EXPECT_EQ(HealthOn(view, PlacedWorkload()).healthy, test.healthy);
}

const char kRunning[] =
    "spec { node_name: 'node-1-x' } status { phase: 'Running' }";
const char kElsewhere[] =
    "spec { node_name: 'node-2-x' } status { phase: 'Running' }";
const char kTerminating[] =
    "metadata { deletion_timestamp { seconds: 1 } } "
    "spec { node_name: 'node-1-x' } status { phase: 'Running' }";
const std::string kHardTaint =
    std::string(kReady) +
    " spec { taints { key: 'hard' effect: 'NoExecute' } }";
const std::string kSoftTaint =
    std::string(kReady) +
    " spec { taints { key: 'soft' effect: 'NoExecute' } }";

INSTANTIATE_TEST_SUITE_P(
    Table, KueueHealthTest,
    testing::Values(
        HealthCase{"Ready", kReady, {}, true},
        HealthCase{"NotReadyWithoutPods", kNotReady, {}, false},
        HealthCase{"NotReadyAndRunning", kNotReady, {kRunning}, true},
        HealthCase{"NotReadyAndTerminating", kNotReady, {kTerminating}, false},
        HealthCase{
            "NotReadyAndRunningElsewhere", kNotReady, {kElsewhere}, false},
        HealthCase{"TaintedAndRunning", kHardTaint, {kRunning}, true},
        HealthCase{"TaintedAndTerminating", kHardTaint, {kTerminating}, false},
        HealthCase{
            "SoftTaintAndTerminating", kSoftTaint, {kTerminating}, false},
        HealthCase{"SoftTaintAndRunning", kSoftTaint, {kRunning}, true},
        HealthCase{"PreferenceOnly",
                   std::string(kReady) + " spec { taints { key: 'hard' "
                                         "effect: 'PreferNoSchedule' } }",
                   {},
                   true}),
    [](const auto& test) { return test.param.name; });

NodeVerdict Lose(const std::string& name, const Workload& workload) {
  NodeView view;
  view.name = name;
  view.now = Second(100);
  return ReconcileNode(view, workload);
}

TEST(KueueReconcileNodeTest, TheSecondNodeEvicts) {
  const NodeVerdict first = Lose("node-1-x", PlacedWorkload());
  EXPECT_FALSE(first.evicted);
  EXPECT_EQ(first.workload.status().unhealthy_nodes(0).name(), "node-1-x");
  EXPECT_FALSE(Lose("node-1-x", first.workload).evicted);
  const NodeVerdict second = Lose("node-2-x", first.workload);
  EXPECT_TRUE(second.evicted);
  EXPECT_EQ(
      FindCondition(second.workload.status().conditions(), kEvicted)->message(),
      "Workload eviction triggered due to multiple TAS assigned node "
      "failures, including: node-1-x, node-2-x");
  EXPECT_THAT(second.workload.status().unhealthy_nodes(), IsEmpty());
}

TEST(KueueReconcileNodeTest, NodesOfOthersAndEvictedWorkloadsAreSkipped) {
  EXPECT_THAT(
      Lose("other", PlacedWorkload()).workload.status().unhealthy_nodes(),
      IsEmpty());
  Workload evicted = PlacedWorkload();
  AddCondition(kEvicted, true, "Preempted", 5, evicted);
  EXPECT_THAT(Lose("node-1-x", evicted).workload.status().unhealthy_nodes(),
              IsEmpty());
}

TEST(KueueReconcileNodeTest, WithoutALookAtPodsThirtySecondsAreWaited) {
  const Node node = NodeWith(kNotReady);
  NodeView view;
  view.name = "node-1-x";
  view.node = &node;
  view.gates.replace_node_on_pod_termination = false;
  view.now = Second(119);
  EXPECT_EQ(ReconcileNode(view, PlacedWorkload()).requeue_after,
            absl::Seconds(1));
  view.now = Second(120);
  EXPECT_FALSE(ReconcileNode(view, PlacedWorkload())
                   .workload.status()
                   .unhealthy_nodes()
                   .empty());
}

TEST(KueueEvictWithoutReplacementTest, OnlyUnderFailFast) {
  WorkloadStatus status = Lose("node-1-x", PlacedWorkload()).workload.status();
  Gates gates;
  gates.fail_fast_without_replacement = false;
  EXPECT_FALSE(EvictWithoutReplacement(gates, Second(1), status));
  EXPECT_TRUE(EvictWithoutReplacement(Gates(), Second(1), status));
  EXPECT_EQ(FindCondition(status.conditions(), kEvicted)->message(),
            "Workload was evicted as there was no replacement for unhealthy "
            "node(s): node-1-x");
}

TEST(KueueRecoverPodTest, WaitsForTheGracePeriodFirst) {
  const Pod pod = Parsed<Pod>(R"(
      metadata {
        deletion_timestamp { seconds: 100 }
        annotations {
          key: "kueue.x-k8s.io/safe-to-forcefully-delete" value: "true"
        }
      }
      spec { node_name: "n" })");
  const Node node =
      NodeWith("spec { taints { key: 'node.kubernetes.io/unreachable' } }");
  EXPECT_EQ(RecoverPod(pod, &node, Second(130)).requeue_after,
            absl::Seconds(30));
  EXPECT_TRUE(RecoverPod(pod, &node, Second(160)).condition.has_value());
  EXPECT_FALSE(RecoverPod(pod, nullptr, Second(160)).condition.has_value());
}

}  // namespace
}  // namespace mulligan::kueue
