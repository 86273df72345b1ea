// Broken devices in events and conditions, and a container that ended by
// itself.
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

constexpr long kEnd = 10000;

v1::FailureReport PodOnNode(int code, const char* log) {
  v1::FailureReport report = FailedPod(code, "Error", log);
  auto& pod = *report.mutable_pods(0);
  pod.mutable_spec()->set_node_name("n1");
  pod.mutable_status()
      ->mutable_container_statuses(0)
      ->mutable_state()
      ->mutable_terminated()
      ->mutable_finished_at()
      ->set_seconds(kEnd);
  return report;
}

struct DeviceSignsEventCase {
  const char* name;
  int code;
  const char* log;
  const char* about;
  const char* reason;
  const char* message;
  // Seconds after the end of the container.
  long after;
  v1::Cause cause;
};

constexpr char kLaunch[] = "CUDA error: unspecified launch failure";

constexpr DeviceSignsEventCase kEvents[] = {
    {"XidBeforeACrash", 1, kLaunch, "Node", "GpuDetector",
     "NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.", -8,
     v1::GPU_FAULT},
    {"XidOnThePod", 1, "", "Pod", "GpuDetector", "XID 95 on GPU 2", -8,
     v1::GPU_FAULT},
    {"XidReportedLate", 134, "", "Node", "AnyName", "Xid error 48", 40,
     v1::GPU_FAULT},
    {"XidOfAnOlderTime", 1, kLaunch, "Node", "AnyName", "Xid error 48", -4000,
     v1::CRASH_SIGNAL},
    {"XidOfALaterTime", 1, kLaunch, "Node", "AnyName", "Xid error 48", 400,
     v1::CRASH_SIGNAL},
    {"XidInTheReason", 137, "", "Node", "VendorXID79Error", "GPU 1 gone", -8,
     v1::GPU_FAULT},
    {"XidThatOnlyCounts", 1, "", "Node", "XIDError", "Xid 63 on GPU 2", -8,
     v1::APP_ERROR},
    {"XidOfTheProgram", 1, "", "Node", "XIDError", "Xid 31 on GPU 2", -8,
     v1::CRASH_SIGNAL},
    {"WordsWithoutANumber", 1, "", "Node", "AnyName",
     "GPU 3 has fallen off the bus", -8, v1::GPU_FAULT},
    {"LinkOfTheNode", 1, "", "Node", "AnyName", "NVLink 4 error: fatal", -8,
     v1::FABRIC_FAULT},
};

class DeviceEvent : public ::testing::TestWithParam<DeviceSignsEventCase> {};

TEST_P(DeviceEvent, ExplainsEndsAtThatTime) {
  const DeviceSignsEventCase& test = GetParam();
  v1::FailureReport report = PodOnNode(test.code, test.log);
  auto& event = *report.add_events();
  event.set_type("Warning");
  event.set_reason(test.reason);
  event.set_message(test.message);
  event.mutable_last_timestamp()->set_seconds(kEnd + test.after);
  event.mutable_involved_object()->set_kind(test.about);
  event.mutable_involved_object()->set_name(
      std::string(test.about) == "Node" ? "n1" : "p-0");
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(test.cause))
      << diagnosis.DebugString();
  EXPECT_EQ(diagnosis.culprit().node(), "n1");
}

INSTANTIATE_TEST_SUITE_P(, DeviceEvent, ::testing::ValuesIn(kEvents),
                         [](const auto& test) { return test.param.name; });

// A device that the pod did not hold explains none of its ends. Only the log
// shows a device held by a claim or lent to all pods by the runtime.
TEST(DeviceTest, ExplainsOnlyPodsThatMayHoldIt) {
  const struct {
    const char* resource;
    const char* words;
    v1::Cause cause;
  } kHeld[] = {
      {"nvidia.com/gpu", "", v1::GPU_FAULT},
      {"cpu", "", v1::APP_ERROR},
      {"cpu", "RuntimeError: CUDA error: unspecified launch failure",
       v1::GPU_FAULT},
  };
  for (const auto& [resource, words, cause] : kHeld) {
    v1::FailureReport report = PodOnNode(1, words);
    auto& spec = *report.mutable_pods(0)->mutable_spec();
    if (spec.containers().empty()) spec.add_containers()->set_name("main");
    (*spec.mutable_containers(0)
          ->mutable_resources()
          ->mutable_limits())[resource]
        .set_string_value("1");
    auto& event = *report.add_events();
    event.set_type("Warning");
    event.set_reason("XIDError");
    event.set_message("Xid 79 on GPU 2");
    event.mutable_last_timestamp()->set_seconds(kEnd - 8);
    event.mutable_involved_object()->set_kind("Node");
    event.mutable_involved_object()->set_name("n1");
    EXPECT_EQ(v1::Cause_Name(Diagnose(report).cause()), v1::Cause_Name(cause));
  }
}

// A program that finds no GPU is no sign of a broken node if its pod requests
// none.
TEST(DeviceTest, APodThatRequestsNoGpuGetsNone) {
  for (const char* words : {"RuntimeError: No CUDA GPUs are available",
                            "RuntimeError: Found no NVIDIA driver"}) {
    v1::FailureReport report = PodOnNode(1, words);
    EXPECT_EQ(Diagnose(report).cause(), v1::GPU_FAULT) << words;
    auto& spec = *report.mutable_pods(0)->mutable_spec();
    if (spec.containers().empty()) spec.add_containers()->set_name("main");
    auto& limits =
        *spec.mutable_containers(0)->mutable_resources()->mutable_limits();
    limits["cpu"].set_string_value("1");
    EXPECT_EQ(Diagnose(report).cause(), v1::CONFIG_USER_ERROR) << words;
    limits["nvidia.com/gpu"].set_string_value("1");
    EXPECT_EQ(Diagnose(report).cause(), v1::GPU_FAULT) << words;
  }
}

struct ConditionCase {
  const char* name;
  const char* type;
  const char* status;
  const char* reason;
  long after;
  v1::Cause cause;
};

constexpr ConditionCase kConditions[] = {
    {"KnownCondition", "AcceleratedHardwareReady", "False", "VendorXID48", -8,
     v1::GPU_FAULT},
    {"ConditionByItsMessage", "AcceleratorHealthy", "False", "AnyReason", -8,
     v1::GPU_FAULT},
    {"BrokenLongBefore", "AcceleratedHardwareReady", "False", "VendorXID48",
     -4000, v1::APP_ERROR},
    {"NoDevice", "MemoryPressure", "True", "KubeletHasInsufficientMemory", -8,
     v1::APP_ERROR},
    {"NodeNotReady", "Ready", "False", "KubeletNotReady", -8, v1::APP_ERROR},
};

class DeviceCondition : public ::testing::TestWithParam<ConditionCase> {};

TEST_P(DeviceCondition, ExplainsEndsAtThatTime) {
  const ConditionCase& test = GetParam();
  v1::FailureReport report = PodOnNode(1, "");
  auto& node = *report.add_nodes();
  node.mutable_metadata()->set_name("n1");
  auto& condition = *node.mutable_status()->add_conditions();
  condition.set_type(test.type);
  condition.set_status(test.status);
  condition.set_reason(test.reason);
  condition.mutable_last_transition_time()->set_seconds(kEnd + test.after);
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(test.cause))
      << diagnosis.DebugString();
}

INSTANTIATE_TEST_SUITE_P(, DeviceCondition, ::testing::ValuesIn(kConditions),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
