#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "gtest/gtest.h"
#include "policy/native/kueue/workload.h"
#include "tests/native/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

using ::testing::IsEmpty;

Workload PlacedWorkload() {
  Workload workload = AdmittedWorkload(1);
  *workload.mutable_spec()->add_pod_sets() =
      Parse<kubernetes::kueue::v1beta2::PodSet>(R"(
      name: "main"
      template { spec { tolerations {
        key: "soft" operator: "Exists" toleration_seconds: 60
      } } })");
  *workload.mutable_status()->mutable_admission()->add_pod_set_assignments() =
      Parse<kubernetes::kueue::v1beta2::PodSetAssignment>(R"(
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

Node NodeWith(const std::string& name, const std::string& text) {
  Node node = Parse<Node>(text);
  node.mutable_metadata()->set_name(name);
  return node;
}

// The controller's changes to `workload` with these nodes and pods.
Workload Follow(const std::vector<Node>& nodes, const std::vector<Pod>& pods,
                const Gates& gates, absl::Time now, Workload workload) {
  const google::protobuf::RepeatedPtrField<Node> all_nodes(nodes.begin(),
                                                           nodes.end());
  const google::protobuf::RepeatedPtrField<Pod> all_pods(pods.begin(),
                                                         pods.end());
  FollowNodes({all_nodes, all_pods, gates, now}, workload);
  return workload;
}

const char kReady[] = "status { conditions { type: 'Ready' status: 'True' } }";
const char kNotReady[] =
    "status { conditions { type: 'Ready' status: 'Unknown' "
    "last_transition_time { seconds: 90 } } }";

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
  std::vector<Pod> pods;
  for (const std::string& text : test.pods) pods.push_back(Parse<Pod>(text));
  const Workload after = Follow({NodeWith("node-1-x", test.node)}, pods,
                                Gates(), Second(100), PlacedWorkload());
  EXPECT_EQ(after.status().unhealthy_nodes().empty(), test.healthy);
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

Workload Lose(const std::string& name, const Workload& workload) {
  return Follow({NodeWith(name, "")}, {}, Gates(), Second(100), workload);
}

TEST(KueueNodesTest, TheSecondNodeEvicts) {
  const Workload first = Lose("node-1-x", PlacedWorkload());
  EXPECT_EQ(first.status().unhealthy_nodes(0).name(), "node-1-x");
  EXPECT_FALSE(IsTrue(Lose("node-1-x", first).status().conditions(), kEvicted));
  const Workload second = Lose("node-2-x", first);
  EXPECT_EQ(FindCondition(second.status().conditions(), kEvicted)->message(),
            "Workload eviction triggered due to multiple TAS assigned node "
            "failures, including: node-1-x, node-2-x");
}

TEST(KueueNodesTest, ReadsAssignmentsByDomainsAndSlices) {
  Workload workload = AdmittedWorkload(1);
  *workload.mutable_status()->mutable_admission() =
      Parse<kubernetes::kueue::v1beta2::Admission>(R"(
      pod_set_assignments {
        topology_assignment {
          levels: "kubernetes.io/hostname"
          domains { values: "b" count: 1 }
        }
      }
      pod_set_assignments {
        topology_assignment {
          levels: "kubernetes.io/hostname"
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
  const auto lost = [&](const std::string& name) {
    return !Lose(name, workload).status().unhealthy_nodes().empty();
  };
  EXPECT_TRUE(lost("a"));
  EXPECT_TRUE(lost("b"));
  EXPECT_FALSE(lost("r"));
}

TEST(KueueNodesTest, SkipsNodesOfOthers) {
  EXPECT_THAT(Lose("other", PlacedWorkload()).status().unhealthy_nodes(),
              IsEmpty());
}

TEST(KueueNodesTest, WaitsThirtySecondsIfPodsAreNotChecked) {
  const std::vector<Node> nodes = {NodeWith("node-1-x", kNotReady)};
  Gates gates;
  gates.replace_node_on_pod_termination = false;
  EXPECT_THAT(Follow(nodes, {}, gates, Second(119), PlacedWorkload())
                  .status()
                  .unhealthy_nodes(),
              IsEmpty());
  EXPECT_FALSE(Follow(nodes, {}, gates, Second(120), PlacedWorkload())
                   .status()
                   .unhealthy_nodes()
                   .empty());
}

}  // namespace
}  // namespace mulligan::kueue
