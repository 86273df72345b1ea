#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/native/flyte/plugins.h"
#include "policy/native/objects.h"
#include "policy/request/xid_codes.h"

namespace mulligan::flyte {
namespace {

using kubernetes::core::v1::Event;

// The workload's fault, worth a note, or a broken device.
constexpr char kUser[] = "user";
constexpr char kWarn[] = "warn";
constexpr char kCritical[] = "critical";

// A fault of a GPU (Xid) or of an NVSwitch (SXid), as an event reports it.
struct GpuFault {
  // When it was first seen.
  absl::Time since;
  std::string severity;
  // CodeFor: the failure code of a critical fault.
  std::string failure;
  // Human-readable; precedes the failure's message.
  std::string sentence;
};

constexpr std::string_view kMessagePrefix = "[gpu-health]";
constexpr char kXidError[] = "GpuXidError";
constexpr char kNvlinkError[] = "GpuNvlinkError";

// Returns what Flyte reports for a code. The name is empty for unknown codes.
XidCodes XidOf(bool is_sxid, std::int64_t code) {
  if (is_sxid) return {0, 0, XidEffect::kLink, "", kCritical, kNvlinkError};
  const XidCodes* const row = FindXidCode(code);
  if (row != nullptr && !row->name.empty()) return *row;
  return {0, 0, XidEffect::kNone, "", kWarn, kXidError};
}

using Fields = std::map<std::string, std::string>;

// Names the device by host index and UUID, else by bus id.
std::string DeviceOf(Fields& fields) {
  std::string device;
  std::int64_t index = -1;
  if (absl::SimpleAtoi(fields["gpu_index"], &index) && index >= 0) {
    absl::StrAppend(&device, " ", index);
  }
  if (!fields["gpu_uuid"].empty()) {
    absl::StrAppend(&device, " ", fields["gpu_uuid"]);
  }
  if (device.empty() && !fields["pci"].empty()) {
    device = absl::StrCat(" at PCI ", fields["pci"]);
  }
  return device.empty() ? "" : " on GPU" + device;
}

// Parses the message of such an event; returns nothing for other messages.
std::optional<GpuFault> ParseMessage(const std::string& message) {
  if (!message.starts_with(kMessagePrefix)) return std::nullopt;
  std::size_t start = message.find(" xid=");
  const bool is_sxid = start == std::string::npos;
  if (is_sxid) start = message.find(" sxid=");
  if (start == std::string::npos) return std::nullopt;
  Fields fields;
  for (const std::string& token : std::vector<std::string>(
           absl::StrSplit(message.substr(start), absl::ByAnyChar(" \t\r\n")))) {
    const std::size_t equals = token.find('=');
    if (equals == std::string::npos) continue;
    fields[token.substr(0, equals)] = token.substr(equals + 1);
  }
  std::int64_t code = 0;
  if (!absl::SimpleAtoi(fields[is_sxid ? "sxid" : "xid"], &code)) {
    return std::nullopt;
  }
  const XidCodes row = XidOf(is_sxid, code);
  const auto severity_field = fields.find("severity");
  GpuFault fault;
  fault.severity = severity_field == fields.end()
                       ? std::string(row.flyte_severity)
                       : severity_field->second;
  fault.failure = row.flyte_failure;
  const std::string label = absl::AsciiStrToUpper(fault.severity);
  const std::string name =
      row.name.empty() ? absl::StrCat("Xid ", code) : std::string(row.name);
  fault.sentence =
      is_sxid ? absl::StrFormat("%s [%s] SXid %d on NVSwitch %s.",
                                kMessagePrefix, label, code, fields["pci"])
              : absl::StrFormat("%s [%s] Xid %d (%s)%s.", kMessagePrefix, label,
                                code, name, DeviceOf(fields));
  return fault;
}

// isGenericCode: uninformative codes, which the fault's code replaces.
bool IsGeneric(std::string_view code) {
  static const RE2& exit_code = *new RE2("(?i:exit[ _-]?code[ _-]?)?[0-9]+");
  return code.empty() || code == "Unknown" || code == kUnknownError ||
         code == "Error" || code == kInterrupted ||
         RE2::FullMatch(re2::StringPiece(code.data(), code.size()), exit_code);
}

// Returns when the pod's last container ended.
absl::Time EndOf(const Pod& pod, absl::Time now) {
  std::optional<absl::Time> latest;
  for (const auto& container : pod.status().container_statuses()) {
    const auto end = TimeIfSet(container.state().terminated().finished_at());
    if (end.has_value() && end > latest) latest = end;
  }
  return latest.value_or(now);
}

// Returns the event's fault if it can explain a failure at `end`. The first
// time stands in for an absent last time, and vice versa.
std::optional<GpuFault> FaultOf(const Event& event, absl::Time end) {
  std::optional<GpuFault> fault = ParseMessage(event.message());
  const auto first = TimeIfSet(event.first_timestamp());
  const auto last = TimeIfSet(event.last_timestamp());
  if (!fault.has_value() || (!first.has_value() && !last.has_value())) {
    return std::nullopt;
  }
  fault->since = first.has_value() ? *first : *last;
  const absl::Time until = last.value_or(fault->since);
  if (until < fault->since || fault->since > end + absl::Minutes(2) ||
      until < end - absl::Minutes(30)) {
    return std::nullopt;
  }
  return fault;
}

// Returns the faults of the pod's devices, oldest first.
std::vector<GpuFault> FaultsOf(
    const Pod& pod, const google::protobuf::RepeatedPtrField<Event>& events,
    absl::Time now) {
  const absl::Time end = EndOf(pod, now);
  std::vector<GpuFault> faults;
  for (const Event& event : events) {
    const bool is_fault =
        event.reason() == "GPUXidError" || event.reason() == "GPUSXidError";
    if (!is_fault || event.involved_object().uid() != pod.metadata().uid()) {
      continue;
    }
    if (auto fault = FaultOf(event, end)) faults.push_back(*std::move(fault));
  }
  std::ranges::stable_sort(faults, [](const GpuFault& a, const GpuFault& b) {
    return a.since < b.since;
  });
  return faults;
}

}  // namespace

PhaseInfo WithGpuFaults(PhaseInfo failure, const Pod& pod,
                        const google::protobuf::RepeatedPtrField<Event>& events,
                        absl::Time now) {
  const auto faults = FaultsOf(pod, events, now);
  for (const char* const severity : {kCritical, kUser}) {
    const GpuFault* const found = FindIn(faults, [&](const GpuFault& fault) {
      return fault.severity == severity;
    });
    if (found == nullptr) continue;
    const bool is_critical = found->severity == kCritical;
    ExecutionError& error = *failure.error;
    if (is_critical) error.kind = ErrorKind::kSystem;
    if (IsGeneric(error.code)) {
      if (!is_critical) error.kind = ErrorKind::kUser;
      error.code = is_critical ? found->failure : kXidError;
    }
    error.message = absl::StrCat(
        found->sentence, error.message.empty() ? "" : " ", error.message);
    return failure;
  }
  return failure;
}

}  // namespace mulligan::flyte
