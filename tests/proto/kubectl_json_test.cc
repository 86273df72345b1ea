// The output of `kubectl get -o json`, which exceeds our subset: apiVersion and
// kind, managedFields, quantities, nulls, empty objects, fields of later
// releases.

#include <google/protobuf/util/json_util.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

template <typename Message>
void ReadFixture(const std::string& file, Message& message) {
  ASSERT_OK_AND_ASSIGN(const std::string json,
                       ReadFile(SourcePath("tests/proto/testdata/" + file)));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, &message, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(KubectlJsonTest, ReadsPodMetadata) {
  kubernetes::core::v1::Pod pod;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", pod));
  EXPECT_THAT(pod.metadata(), PartiallyEqualsProto(R"pb(
                name: "llm-worker-3"
                creation_timestamp { seconds: 1767265200 }
                owner_references {
                  api_version: "batch/v1"
                  kind: "Job"
                  name: "llm"
                  uid: "0b7d5a1e-3b8c-4f5e-9a92-1d9c8c8b2f10"
                  controller: true
                  block_owner_deletion: true
                }
              )pb"));
  EXPECT_FALSE(pod.metadata().has_deletion_timestamp());
  EXPECT_TRUE(pod.metadata().annotations().empty());
}

TEST(KubectlJsonTest, ReadsPodSpec) {
  kubernetes::core::v1::Pod pod;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", pod));
  EXPECT_THAT(pod.spec(), EqualsProto(R"pb(
                volumes {
                  name: "data"
                  persistent_volume_claim { claim_name: "d" }
                }
                containers {
                  name: "main"
                  image: "registry.example.com/llm:7"
                  resources {
                    limits {
                      key: "cpu"
                      value { string_value: "8" }
                    }
                    limits {
                      key: "memory"
                      value { string_value: "64Gi" }
                    }
                    limits {
                      key: "nvidia.com/gpu"
                      value { string_value: "8" }
                    }
                    requests {
                      key: "cpu"
                      value { string_value: "500m" }
                    }
                    requests {
                      key: "memory"
                      value { string_value: "64Gi" }
                    }
                    requests {
                      key: "nvidia.com/gpu"
                      value { string_value: "8" }
                    }
                  }
                  termination_message_path: "/dev/termination-log"
                  termination_message_policy: "File"
                }
                restart_policy: "Never"
                termination_grace_period_seconds: 30
                node_selector { key: "cloud.google.com/gke-spot" value: "true" }
                node_name: "gpu-a-17"
                tolerations {
                  key: "node.kubernetes.io/unreachable"
                  operator: "Exists"
                  effect: "NoExecute"
                  toleration_seconds: 300
                }
                priority: 0
              )pb"));
}

TEST(KubectlJsonTest, ReadsPodStatus) {
  kubernetes::core::v1::Pod pod;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", pod));
  EXPECT_THAT(
      pod.status(), EqualsProto(R"pb(
        phase: "Failed"
        conditions {
          type: "DisruptionTarget"
          status: "True"
          last_transition_time { seconds: 1767268651 }
          reason: "TerminationByKubelet"
          message: "Pod was terminated in response to imminent node shutdown."
        }
        reason: "Terminated"
        host_ip: "10.128.0.17"
        host_ips { ip: "10.128.0.17" }
        pod_ip: "10.4.3.9"
        pod_ips { ip: "10.4.3.9" }
        pod_ips { ip: "fd00::9" }
        start_time { seconds: 1767265205 }
        container_statuses {
          name: "main"
          state {
            terminated {
              exit_code: 143
              reason: "Error"
              started_at { seconds: 1767265241 }
              finished_at { seconds: 1767268664 }
              container_id: "containerd://9d1e"
            }
          }
          last_state {}
          ready: false
          restart_count: 0
          image: "registry.example.com/llm:7"
          image_id: "registry.example.com/llm@sha256:77af"
          container_id: "containerd://9d1e"
          started: false
        }
        qos_class: "Burstable"
      )pb"));
}

TEST(KubectlJsonTest, ReadsJob) {
  kubernetes::batch::v1::Job job;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("job.json", job));
  EXPECT_TRUE(job.spec().has_backoff_limit());
  EXPECT_FALSE(job.spec().has_backoff_limit_per_index());
  EXPECT_THAT(job.spec().pod_failure_policy(), EqualsProto(R"pb(
                rules {
                  action: "Ignore"
                  on_pod_conditions { type: "DisruptionTarget" status: "True" }
                }
                rules {
                  action: "FailJob"
                  on_exit_codes {
                    container_name: "main"
                    operator: "NotIn"
                    values: 42
                    values: 143
                  }
                }
              )pb"));
  EXPECT_THAT(job.spec().template_(), EqualsProto(R"pb(
                metadata { labels { key: "app" value: "llm" } }
                spec {
                  containers {
                    name: "main"
                    image: "x"
                    resources {
                      limits {
                        key: "cpu"
                        value { string_value: "1" }
                      }
                    }
                  }
                  restart_policy: "Never"
                }
              )pb"));
  EXPECT_THAT(job.status(), PartiallyEqualsProto(R"pb(
                start_time { seconds: 1767265199 }
                failed: 1
                ready: 0
                terminating: 0
                uncounted_terminated_pods {}
                failed_indexes: "3"
              )pb"));
}

TEST(KubectlJsonTest, ReadsNode) {
  kubernetes::core::v1::Node node;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("node.json", node));
  EXPECT_THAT(
      node.spec(), EqualsProto(R"pb(
        pod_cidr: "10.4.3.0/24"
        provider_id: "gce://p/us-central1-a/gpu-a-17"
        unschedulable: true
        taints {
          key: "node.kubernetes.io/unreachable"
          effect: "NoExecute"
          time_added { seconds: 1767268710 }
        }
        taints { key: "nvidia.com/gpu" value: "present" effect: "NoSchedule" }
      )pb"));
  EXPECT_THAT(node.status(), PartiallyEqualsProto(R"pb(
                conditions {
                  type: "Ready"
                  status: "Unknown"
                  last_heartbeat_time { seconds: 1767268630 }
                  last_transition_time { seconds: 1767268705 }
                  reason: "NodeStatusUnknown"
                  message: "Kubelet stopped posting node status."
                }
              )pb"));
}

// An event in the newer form: microseconds, and nulls in the older fields.
TEST(KubectlJsonTest, ReadsEvent) {
  kubernetes::core::v1::Event event;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("event.json", event));
  EXPECT_THAT(event, EqualsProto(R"pb(
                metadata { name: "llm-worker-3.1" namespace: "ml-research" }
                involved_object {
                  kind: "Pod"
                  namespace: "ml-research"
                  name: "llm-worker-3"
                  field_path: "spec.containers{main}"
                }
                reason: "Preempted"
                message: "Preempted by pod 1f on node gpu-a-17"
                source {}
                type: "Normal"
                event_time { seconds: 1767268650 nanos: 123456000 }
                series {
                  count: 2
                  last_observed_time { seconds: 1767268651 nanos: 7000 }
                }
                action: "Preempting"
                reporting_component: "default-scheduler"
                reporting_instance: "default-scheduler-0"
              )pb"));
}

// grpcurl reads requests by the same rules, ignoring unknown fields.
TEST(KubectlJsonTest, ReadsPodInReport) {
  ASSERT_OK_AND_ASSIGN(const std::string pod,
                       ReadFile(SourcePath("tests/proto/testdata/pod.json")));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::FailureReport report;
  const auto status = google::protobuf::util::JsonStringToMessage(
      "{\"pods\": [" + pod + "]}", &report, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  kubernetes::core::v1::Pod alone;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", alone));
  ASSERT_EQ(report.pods_size(), 1);
  EXPECT_THAT(report.pods(0), EqualsProto(alone));
}

}  // namespace
}  // namespace mulligan::testing
