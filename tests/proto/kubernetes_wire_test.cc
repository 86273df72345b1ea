// Bytes as Go's Marshal() writes them, with the field numbers of k8s.io/api:
// plain values are written even if empty, zero times are empty submessages,
// repeated integers are unpacked.

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::testing {
namespace {

// Writes fields by number, without a schema.
class Wire {
 public:
  Wire& Int(std::uint32_t number, std::int64_t value) {
    Varint(number << 3);
    // As in Go, a negative int32 takes ten bytes too.
    Varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Wire& Text(std::uint32_t number, const std::string& value) {
    Varint(number << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Wire& Sub(std::uint32_t number, const Wire& value) {
    return Text(number, value.bytes_);
  }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_ += static_cast<char>(value | 0x80);
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

kubernetes::core::v1::Pod DecodePod(const Wire& wire) {
  kubernetes::core::v1::Pod pod;
  EXPECT_TRUE(pod.ParseFromString(wire.Bytes()));
  pod.DiscardUnknownFields();
  return pod;
}

TEST(KubernetesWireTest, DecodesPodMetadataAndSpec) {
  const Wire metadata = Wire()
                            .Text(1, "trainer-0")
                            .Text(2, "")  // generateName
                            .Int(7, 0)    // generation
                            .Text(8, "")  // creationTimestamp, zero
                            .Sub(11, Wire().Text(1, "app").Text(2, "llm"));
  const Wire spec = Wire().Int(4, 0).Text(10, "node-a").Int(25, -10);
  EXPECT_THAT(DecodePod(Wire().Sub(1, metadata).Sub(2, spec)), EqualsProto(R"pb(
                metadata {
                  name: "trainer-0"
                  generate_name: ""
                  generation: 0
                  creation_timestamp {}
                  labels { key: "app" value: "llm" }
                }
                spec {
                  termination_grace_period_seconds: 0
                  node_name: "node-a"
                  priority: -10
                }
              )pb"));
}

TEST(KubernetesWireTest, DecodesContainerStatus) {
  const Wire terminated = Wire()
                              .Int(1, -1)
                              .Int(2, 9)
                              .Text(3, "Error")
                              .Text(4, "")
                              .Text(5, "")  // startedAt, zero
                              .Sub(6, Wire().Int(1, 1767268800))
                              .Text(7, "containerd://0f");
  const Wire container = Wire()
                             .Text(1, "main")
                             .Sub(2, Wire().Sub(3, terminated))
                             .Text(3, "")  // lastState, empty
                             .Int(4, 0)
                             .Int(5, 3)
                             // allocatedResources, which we do not model
                             .Sub(10, Wire().Text(1, "cpu"));
  EXPECT_THAT(DecodePod(Wire().Sub(3, Wire().Sub(8, container))),
              EqualsProto(R"pb(
                status {
                  container_statuses {
                    name: "main"
                    state {
                      terminated {
                        exit_code: -1
                        signal: 9
                        reason: "Error"
                        message: ""
                        started_at {}
                        finished_at { seconds: 1767268800 }
                        container_id: "containerd://0f"
                      }
                    }
                    last_state {}
                    ready: false
                    restart_count: 3
                  }
                }
              )pb"));
}

TEST(KubernetesWireTest, DecodesPodCondition) {
  const Wire disruption = Wire()
                              .Text(1, "DisruptionTarget")
                              .Text(2, "True")
                              .Text(3, "")  // lastProbeTime, zero
                              .Sub(4, Wire().Int(1, 1767268790))
                              .Text(5, "DeletionByTaintManager");
  const Wire status = Wire().Text(1, "Failed").Sub(2, disruption).Int(17, 4);
  EXPECT_THAT(DecodePod(Wire().Sub(3, status)), EqualsProto(R"pb(
                status {
                  phase: "Failed"
                  conditions {
                    type: "DisruptionTarget"
                    status: "True"
                    last_probe_time {}
                    last_transition_time { seconds: 1767268790 }
                    reason: "DeletionByTaintManager"
                  }
                  observed_generation: 4
                }
              )pb"));
}

TEST(KubernetesWireTest, DecodesUnpackedAndPackedExitCodes) {
  const Wire unpacked = Wire().Text(2, "In").Int(3, 42).Int(3, 143);
  const Wire packed = Wire().Text(2, "In").Text(3, "\x2a\x8f\x01");
  for (const Wire& requirement : {unpacked, packed}) {
    const Wire rule = Wire().Text(1, "FailJob").Sub(2, requirement);
    const Wire spec = Wire().Int(7, 0).Sub(11, Wire().Sub(1, rule));
    kubernetes::batch::v1::Job job;
    ASSERT_TRUE(job.ParseFromString(Wire().Sub(2, spec).Bytes()));
    EXPECT_THAT(job, EqualsProto(R"pb(
                  spec {
                    backoff_limit: 0
                    pod_failure_policy {
                      rules {
                        action: "FailJob"
                        on_exit_codes { operator: "In" values: 42 values: 143 }
                      }
                    }
                  }
                )pb"));
  }
}

// nil and 0 are different limits in Kubernetes.
TEST(KubernetesWireTest, KeepsAbsentPointers) {
  kubernetes::batch::v1::Job job;
  ASSERT_TRUE(job.ParseFromString(Wire().Text(2, "").Bytes()));
  EXPECT_TRUE(job.has_spec());
  EXPECT_FALSE(job.spec().has_backoff_limit());
}

// Fields of later Kubernetes releases are kept.
TEST(KubernetesWireTest, UnknownFieldsRoundTrip) {
  const std::string bytes =
      Wire().Sub(3, Wire().Text(1, "Failed").Text(999, "new")).Bytes();
  kubernetes::core::v1::Pod pod;
  ASSERT_TRUE(pod.ParseFromString(bytes));
  EXPECT_EQ(pod.SerializeAsString(), bytes);
}

}  // namespace
}  // namespace mulligan::testing
