#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/base/times.h"
#include "policy/operators/flyte/plugins.h"

namespace mulligan::flyte {
namespace {

using kubernetes::core::v1::Event;

// Whether the workload did it, it is worth a note, or the device is broken.
constexpr char kUser[] = "user";
constexpr char kWarn[] = "warn";
constexpr char kCritical[] = "critical";

// A fault of a GPU (Xid) or of an NVSwitch (SXid).
struct GpuFault {
  bool is_sxid = false;
  std::int64_t code = 0;
  std::string severity;
  // Bus id, UUID and index on the host; empty, or below 0: unknown.
  std::string pci;
  std::string gpu_uuid;
  std::int64_t gpu_index = -1;
};

struct XidRow {
  std::int64_t code;
  const char* severity;
  // NVIDIA's name.
  const char* name;
  const char* failure;
};

constexpr std::string_view kMessagePrefix = "[gpu-health]";
constexpr char kXidError[] = "GpuXidError";
constexpr char kNvlinkError[] = "GpuNvlinkError";
constexpr char kEcc[] = "GpuEccUncorrectable";
constexpr char kRowRemap[] = "GpuRowRemapPending";
constexpr char kGsp[] = "GpuGspError";

constexpr std::array<XidRow, 23> kXids = {{
    {13, kUser, "Graphics Engine Exception", kXidError},
    {31, kUser, "GPU memory page fault", kXidError},
    {32, kWarn, "Invalid or corrupted push buffer stream", kXidError},
    {38, kWarn, "Driver firmware error", kXidError},
    {43, kUser, "GPU stopped processing", kXidError},
    {45, kUser, "Preemptive cleanup, due to previous errors", kXidError},
    {48, kCritical, "Double Bit ECC Error", kEcc},
    {61, kWarn, "Internal micro-controller breakpoint/warning", kXidError},
    {62, kCritical, "Internal micro-controller halt", kXidError},
    {63, kCritical, "ECC page retirement or row remapping recording event",
     kRowRemap},
    {64, kCritical, "ECC page retirement or row remapper recording failure",
     kRowRemap},
    {68, kWarn, "NVDEC0 Exception", kXidError},
    {69, kWarn, "Graphics Engine class error", kXidError},
    {74, kCritical, "NVLink Error", kNvlinkError},
    {79, kCritical, "GPU has fallen off the bus", "GpuFallenOffBus"},
    {92, kWarn, "High single-bit ECC error rate", kXidError},
    {94, kCritical, "Contained ECC error", kEcc},
    {95, kCritical, "Uncontained ECC error", kEcc},
    {109, kCritical, "Context Switch Timeout Error", kXidError},
    {119, kCritical, "GSP RPC Timeout", kGsp},
    {120, kCritical, "GSP Error", kGsp},
    {140, kCritical, "Unrecovered ECC Error", kEcc},
    {154, kWarn, "GPU recovery action changed", kXidError},
}};

const XidRow* FindXid(std::int64_t code) {
  for (const XidRow& row : kXids) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

std::string SeverityOf(const GpuFault& fault,
                       const std::map<std::string, std::string>& fields) {
  const auto said = fields.find("severity");
  if (said != fields.end()) {
    const bool is_known = said->second == kUser || said->second == kCritical;
    return is_known ? said->second : kWarn;
  }
  if (fault.is_sxid) return kCritical;
  const XidRow* const row = FindXid(fault.code);
  return row == nullptr ? kWarn : row->severity;
}

// Reads the message of such an event back; nothing when it is none.
std::optional<GpuFault> ParseMessage(std::string_view message) {
  if (!message.starts_with(kMessagePrefix)) return std::nullopt;
  GpuFault fault;
  std::size_t start = message.find(" xid=");
  if (start == std::string_view::npos) {
    start = message.find(" sxid=");
    if (start == std::string_view::npos) return std::nullopt;
    fault.is_sxid = true;
  }
  std::map<std::string, std::string> fields;
  const std::vector<std::string> tokens =
      absl::StrSplit(std::string(message.substr(start)),
                     absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  for (const std::string& token : tokens) {
    const std::size_t equals = token.find('=');
    if (equals == std::string::npos) continue;
    fields[token.substr(0, equals)] = token.substr(equals + 1);
  }
  if (!absl::SimpleAtoi(fields[fault.is_sxid ? "sxid" : "xid"], &fault.code)) {
    return std::nullopt;
  }
  fault.severity = SeverityOf(fault, fields);
  fault.pci = fields["pci"];
  fault.gpu_uuid = fields["gpu_uuid"];
  if (!absl::SimpleAtoi(fields["gpu_index"], &fault.gpu_index)) {
    fault.gpu_index = -1;
  }
  return fault;
}

std::string DeviceOf(const GpuFault& fault) {
  const bool indexed = fault.gpu_index >= 0;
  if (indexed && !fault.gpu_uuid.empty()) {
    return absl::StrFormat(" on GPU %d %s", fault.gpu_index, fault.gpu_uuid);
  }
  if (!fault.gpu_uuid.empty()) return absl::StrCat(" on GPU ", fault.gpu_uuid);
  if (indexed) return absl::StrCat(" on GPU ", fault.gpu_index);
  return fault.pci.empty() ? "" : absl::StrCat(" on GPU at PCI ", fault.pci);
}

// What a person reads: it goes in front of the failure's message.
std::string Sentence(const GpuFault& fault) {
  const std::string label = absl::AsciiStrToUpper(fault.severity);
  if (fault.is_sxid) {
    return absl::StrFormat("%s [%s] SXid %d on NVSwitch %s.", kMessagePrefix,
                           label, fault.code, fault.pci);
  }
  const XidRow* const row = FindXid(fault.code);
  return absl::StrFormat(
      "%s [%s] Xid %d (%s)%s.", kMessagePrefix, label, fault.code,
      row == nullptr ? absl::StrCat("Xid ", fault.code) : row->name,
      DeviceOf(fault));
}

// CodeFor: the failure code of a critical fault.
const char* CodeOf(const GpuFault& fault) {
  if (fault.is_sxid) return kNvlinkError;
  const XidRow* const row = FindXid(fault.code);
  return row == nullptr ? kXidError : row->failure;
}

// isGenericCode: codes that say nothing and give way to the fault's.
bool IsGeneric(std::string_view code) {
  static const RE2& exit_code = *new RE2("(?i:exit[ _-]?code[ _-]?)?[0-9]+");
  return code.empty() || code == "Unknown" || code == kUnknownError ||
         code == "Error" || code == kInterrupted ||
         RE2::FullMatch(re2::StringPiece(code.data(), code.size()), exit_code);
}

std::optional<absl::Time> TimeIfSet(
    const google::protobuf::Timestamp& timestamp) {
  if (IsZeroTime(timestamp)) return std::nullopt;
  return ToTime(timestamp);
}

// When the pod's last container ended.
absl::Time EndOf(const Pod& pod, absl::Time now) {
  std::optional<absl::Time> latest;
  for (const auto& container : pod.status().container_statuses()) {
    const auto end = TimeIfSet(container.state().terminated().finished_at());
    if (end.has_value() && end > latest) latest = end;
  }
  return latest.value_or(now);
}

// The fault an event tells of, with its first time, if it can explain a
// failure at `end`. Absent times stand for each other.
std::optional<std::pair<absl::Time, GpuFault>> FaultOf(const Event& event,
                                                       absl::Time end) {
  const auto fault = ParseMessage(event.message());
  const auto first = TimeIfSet(event.first_timestamp());
  const auto last = TimeIfSet(event.last_timestamp());
  if (!fault.has_value() || (!first.has_value() && !last.has_value())) {
    return std::nullopt;
  }
  const absl::Time from = first.has_value() ? *first : *last;
  const absl::Time until = last.value_or(from);
  if (until < from || from > end + absl::Minutes(2) ||
      until < end - absl::Minutes(30)) {
    return std::nullopt;
  }
  return std::pair(from, *fault);
}

// Faults of the pod's devices, oldest first.
std::vector<std::pair<absl::Time, GpuFault>> FaultsOf(
    const Pod& pod, const google::protobuf::RepeatedPtrField<Event>& events,
    absl::Time now) {
  const absl::Time end = EndOf(pod, now);
  std::vector<std::pair<absl::Time, GpuFault>> faults;
  for (const Event& event : events) {
    const bool is_fault =
        event.reason() == "GPUXidError" || event.reason() == "GPUSXidError";
    if (!is_fault || event.involved_object().uid() != pod.metadata().uid()) {
      continue;
    }
    if (auto fault = FaultOf(event, end)) faults.push_back(*std::move(fault));
  }
  std::stable_sort(
      faults.begin(), faults.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  return faults;
}

}  // namespace

PhaseInfo WithGpuFaults(PhaseInfo failure, const Pod& pod,
                        const google::protobuf::RepeatedPtrField<Event>& events,
                        absl::Time now) {
  const auto faults = FaultsOf(pod, events, now);
  for (const char* const severity : {kCritical, kUser}) {
    const auto found = std::find_if(
        faults.begin(), faults.end(),
        [&](const auto& fault) { return fault.second.severity == severity; });
    if (found == faults.end()) continue;
    const bool is_critical = found->second.severity == kCritical;
    ExecutionError& error = *failure.error;
    if (is_critical) error.kind = ErrorKind::kSystem;
    if (IsGeneric(error.code)) {
      if (!is_critical) error.kind = ErrorKind::kUser;
      error.code = is_critical ? CodeOf(found->second) : kXidError;
    }
    const std::string sentence = Sentence(found->second);
    error.message = error.message.empty()
                        ? sentence
                        : absl::StrCat(sentence, " ", error.message);
    return failure;
  }
  return failure;
}

}  // namespace mulligan::flyte
