#include "policy/operators/flyte/gpu_fault.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

constexpr char kMessage[] =
    "[gpu-health] [CRITICAL] Xid 79 (GPU has fallen off the bus) on GPU 0 "
    "GPU-1. xid=79 severity=critical gpu_uuid=GPU-1 gpu_index=0 "
    "pci=0000:3b:00.0 node=n pid=7 process=python";

GpuFault Xid(std::int64_t code) {
  GpuFault fault;
  fault.code = code;
  fault.severity = GpuFaultSeverityFor(fault.kind, code);
  return fault;
}

TEST(GpuFaultMessageTest, IsReadBack) {
  const auto fault = ParseGpuFaultMessage(kMessage);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->code, 79);
  EXPECT_EQ(fault->severity, GpuFaultSeverity::kCritical);
  EXPECT_EQ(fault->gpu_uuid, "GPU-1");
  EXPECT_EQ(fault->gpu_index, 0);
  EXPECT_EQ(fault->pci, "0000:3b:00.0");
}

TEST(GpuFaultMessageTest, WhatIsNoneIsNone) {
  for (const char* const message :
       {"", "Back-off restarting failed container", "[gpu-health] nothing",
        "[gpu-health] x xid=seventy", "xid=79 severity=critical"}) {
    EXPECT_FALSE(ParseGpuFaultMessage(message).has_value()) << message;
  }
}

TEST(GpuFaultMessageTest, WithoutASeverityTheCodeTells) {
  const auto fault = ParseGpuFaultMessage("[gpu-health] f. sxid=12028");
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, GpuFaultKind::kSxid);
  EXPECT_EQ(fault->severity, GpuFaultSeverity::kCritical);
  EXPECT_EQ(GpuFaultCode(*fault), "GpuNvlinkError");
  EXPECT_EQ(ParseGpuFaultMessage("[gpu-health] f. xid=92")->severity,
            GpuFaultSeverity::kWarn);
  EXPECT_EQ(ParseGpuFaultSeverity("worse"), GpuFaultSeverity::kWarn);
}

TEST(GpuFaultWindowTest, IsFromHalfAnHourBeforeToTwoMinutesAfter) {
  const absl::Time failure = Second(10000);
  const auto relevant = [&](std::optional<int> from, std::optional<int> until) {
    const auto time = [&](std::optional<int> offset) {
      return offset.has_value()
                 ? std::optional(failure + absl::Seconds(*offset))
                 : std::nullopt;
    };
    return IsRelevantToFailure(time(from), time(until), failure);
  };
  EXPECT_TRUE(relevant(120, std::nullopt));
  EXPECT_FALSE(relevant(121, 900));
  EXPECT_TRUE(relevant(std::nullopt, -1800));
  EXPECT_FALSE(relevant(-9999, -1801));
  EXPECT_TRUE(relevant(-9999, 9999));
  EXPECT_FALSE(relevant(-5, -6));
  EXPECT_FALSE(relevant(std::nullopt, std::nullopt));
}

std::string Classified(const PhaseInfo& info, std::vector<GpuFault> faults) {
  return Summary(ClassifyGpuFailure(info, faults).info);
}

TEST(ClassifyGpuFailureTest, ACriticalFaultMovesTheBlameAndKeepsThePhase) {
  const PhaseInfo permanent =
      WithCleanup(PermanentFailure(ErrorKind::kUser, "Error", "m"));
  const auto result = ClassifyGpuFailure(permanent, {Xid(31), Xid(48)});
  EXPECT_EQ(Summary(result.info),
            "PermanentFailure SYSTEM GpuEccUncorrectable");
  EXPECT_TRUE(result.info.cleanup_on_failure);
  EXPECT_EQ(result.info.error->message,
            "[gpu-health] [CRITICAL] Xid 48 (Double Bit ECC Error). m");
  EXPECT_EQ(result.fault->code, 48);
}

TEST(ClassifyGpuFailureTest, AUsersFaultTakesGenericFailuresBack) {
  EXPECT_EQ(Classified(RetryableFailure(ErrorKind::kSystem, "Interrupted", ""),
                       {Xid(92), Xid(31)}),
            "RetryableFailure USER GpuXidError");
  EXPECT_EQ(Classified(RetryableFailure(ErrorKind::kSystem, "NodeShutdown", ""),
                       {Xid(31)}),
            "RetryableFailure SYSTEM NodeShutdown");
}

TEST(ClassifyGpuFailureTest, SpecificCodesStay) {
  EXPECT_EQ(Classified(RetryableFailure(ErrorKind::kUser, "OOMKilled", ""),
                       {Xid(79)}),
            "RetryableFailure SYSTEM OOMKilled");
  EXPECT_TRUE(IsGenericCode("Exit Code 1"));
  EXPECT_FALSE(IsGenericCode("ExitCode"));
}

TEST(ClassifyGpuFailureTest, WarningsOnlyRideAlong) {
  const PhaseInfo info = RetryableFailure(ErrorKind::kUser, "Error", "m");
  const auto result = ClassifyGpuFailure(info, {Xid(92)});
  EXPECT_EQ(Summary(result.info), "RetryableFailure USER Error");
  EXPECT_EQ(result.info.error->message, "m");
  EXPECT_EQ(result.fault->code, 92);
  EXPECT_FALSE(ClassifyGpuFailure(InPhase(Phase::kRunning), {Xid(79)})
                   .fault.has_value());
}

}  // namespace
}  // namespace mulligan::flyte
