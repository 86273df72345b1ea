#include "policy/request/accelerators.h"

#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;
namespace core = kubernetes::core::v1;

TEST(Accelerators, AreRecognizedByTheirNames) {
  for (const char* name :
       {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb",
        "amd.com/gpu", "google.com/tpu", "aws.amazon.com/neuron",
        "habana.ai/gaudi", "gpu.intel.com/i915", "huawei.com/Ascend910",
        "volcano.sh/vgpu-number"}) {
    EXPECT_TRUE(IsAccelerator(name)) << name;
  }
  for (const char* name :
       {"cpu", "memory", "gpu", "rdma/hca", "nvidia.com/gpudirect",
        "vpc.amazonaws.com/efa", "ephemeral-storage", "hugepages-2Mi"}) {
    EXPECT_FALSE(IsAccelerator(name)) << name;
  }
}

struct PodRow {
  const char* name;
  const char* spec;
  std::int64_t accelerators;
};

class AcceleratorsOfPod : public ::testing::TestWithParam<PodRow> {};

TEST_P(AcceleratorsOfPod, AreAddedUp) {
  core::Pod pod;
  *pod.mutable_spec() = Parse<core::PodSpec>(GetParam().spec);
  EXPECT_EQ(AcceleratorsOf(pod), GetParam().accelerators);
}

#define JSON(amount)                                                        \
  "containers { resources { limits { key: 'nvidia.com/gpu' value { " amount \
  " } } } } "
#define BYTES(amount)                                                     \
  "resources { limit_quantities { key: 'nvidia.com/gpu' value { string: " \
  "'" amount "' } } } "

INSTANTIATE_TEST_SUITE_P(
    Accelerators, AcceleratorsOfPod,
    ::testing::Values(
        PodRow{"None", "containers {}", 0},
        PodRow{"Text", JSON("string_value: '8'"), 8},
        PodRow{"Number", JSON("number_value: 4"), 4},
        PodRow{"Bytes", "containers { " BYTES("2") " }", 2},
        PodRow{"TwoContainers", JSON("number_value: 4") JSON("number_value: 1"),
               5},
        PodRow{
            "InitContainerAsksForMore",
            "containers { " BYTES("1") " } init_containers { " BYTES("2") " }",
            2},
        PodRow{"RequestAndLimit",
               "containers { resources { limits { key: 'amd.com/gpu' value { "
               "number_value: 2 } } requests { key: 'amd.com/gpu' value { "
               "number_value: 2 } } } }",
               2},
        PodRow{"NoNumber", JSON("string_value: 'many'"), 0},
        PodRow{"Negative", JSON("number_value: -3"), 0},
        PodRow{"NotFinite", JSON("number_value: nan"), 0},
        PodRow{"MoreThanThereAre", JSON("number_value: 1e300"),
               kMaxAcceleratorsPerPod}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan
