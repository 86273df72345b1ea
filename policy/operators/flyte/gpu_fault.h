// GPU faults that a node daemon records as events, and what they make of a
// failure. From the branch gpu-forward/gpu-failure-classification, not
// released.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// Xid faults are a GPU's, SXid faults an NVSwitch's.
enum class GpuFaultKind { kXid, kSxid };
// Whether the workload did it, it is worth a note, or the device is broken.
enum class GpuFaultSeverity { kUser, kWarn, kCritical };

struct GpuFault {
  GpuFaultKind kind = GpuFaultKind::kXid;
  std::int64_t code = 0;
  GpuFaultSeverity severity = GpuFaultSeverity::kWarn;
  // Bus id and UUID of the device; empty: unknown.
  std::string pci;
  std::string gpu_uuid;
  // Index on the host. Absent: unknown.
  std::optional<std::int64_t> gpu_index;
};

// Reasons of the daemon's events.
inline constexpr std::string_view kXidEventReason = "GPUXidError";
inline constexpr std::string_view kSxidEventReason = "GPUSXidError";

// "user", "warn", "critical"; anything else is a warning.
GpuFaultSeverity ParseGpuFaultSeverity(std::string_view text);
std::string_view GpuFaultSeverityName(GpuFaultSeverity severity);
// The severity of a code that comes without one.
GpuFaultSeverity GpuFaultSeverityFor(GpuFaultKind kind, std::int64_t code);

// Reads the message of such an event back; nothing when it is none.
std::optional<GpuFault> ParseGpuFaultMessage(std::string_view message);

// CodeFor: the failure code a fault gives.
std::string_view GpuFaultCode(const GpuFault& fault);

// isGenericCode: codes that say nothing and give way to the fault's.
bool IsGenericCode(std::string_view code);

// RelevantToFailure: whether a fault seen from `from` until `until` can
// explain a failure: it was active at some time from 30 minutes before to two
// minutes after. Absent times stand for each other.
bool IsRelevantToFailure(std::optional<absl::Time> from,
                         std::optional<absl::Time> until, absl::Time failure);

// ClassifyFailure. The fault that decided, if any: the first critical one,
// else the first of the user's, else the first.
struct GpuClassification {
  PhaseInfo info;
  std::optional<GpuFault> fault;
};
GpuClassification ClassifyGpuFailure(PhaseInfo info,
                                     const std::vector<GpuFault>& faults);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_
