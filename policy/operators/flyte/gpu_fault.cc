#include "policy/operators/flyte/gpu_fault.h"

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

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"

namespace mulligan::flyte {
namespace {

constexpr std::string_view kMessagePrefix = "[gpu-health]";

struct XidRow {
  std::int64_t code;
  GpuFaultSeverity severity;
  // NVIDIA's name.
  std::string_view name;
  std::string_view failure;
};

constexpr std::string_view kXidError = "GpuXidError";
constexpr std::string_view kNvlinkError = "GpuNvlinkError";
constexpr std::string_view kEcc = "GpuEccUncorrectable";
constexpr std::string_view kRowRemap = "GpuRowRemapPending";
constexpr std::string_view kGsp = "GpuGspError";
constexpr auto kUser = GpuFaultSeverity::kUser;
constexpr auto kWarn = GpuFaultSeverity::kWarn;
constexpr auto kCritical = GpuFaultSeverity::kCritical;

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

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kSeverities = {"user", "warn",
                                                         "critical"};
constexpr std::array<std::string_view, 3> kLabels = {"USER", "WARN",
                                                     "CRITICAL"};

std::string DeviceOf(const GpuFault& fault) {
  const bool indexed = fault.gpu_index.value_or(-1) >= 0;
  if (indexed && !fault.gpu_uuid.empty()) {
    return absl::StrFormat(" on GPU %d %s", *fault.gpu_index, fault.gpu_uuid);
  }
  if (!fault.gpu_uuid.empty()) return absl::StrCat(" on GPU ", fault.gpu_uuid);
  if (indexed) return absl::StrCat(" on GPU ", *fault.gpu_index);
  return fault.pci.empty() ? "" : absl::StrCat(" on GPU at PCI ", fault.pci);
}

// What a person reads: it goes in front of the failure's message.
std::string Sentence(const GpuFault& fault) {
  const std::string_view label =
      kLabels[static_cast<std::size_t>(fault.severity)];
  if (fault.kind == GpuFaultKind::kSxid) {
    return absl::StrFormat("%s [%s] SXid %d on NVSwitch %s.", kMessagePrefix,
                           label, fault.code, fault.pci);
  }
  const XidRow* const row = FindXid(fault.code);
  return absl::StrFormat("%s [%s] Xid %d (%s)%s.", kMessagePrefix, label,
                         fault.code,
                         row == nullptr ? absl::StrCat("Xid ", fault.code)
                                        : std::string(row->name),
                         DeviceOf(fault));
}

const GpuFault* FirstOf(GpuFaultSeverity severity,
                        const std::vector<GpuFault>& faults) {
  const auto found = std::find_if(
      faults.begin(), faults.end(),
      [&](const GpuFault& fault) { return fault.severity == severity; });
  return found == faults.end() ? nullptr : &*found;
}

PhaseInfo Named(PhaseInfo info, const GpuFault& fault, std::string_view code,
                ErrorKind kind) {
  if (!info.error.has_value()) info.error.emplace();
  ExecutionError& error = *info.error;
  if (IsGenericCode(error.code)) error.code = std::string(code);
  error.kind = kind;
  error.message = error.message.empty()
                      ? Sentence(fault)
                      : absl::StrCat(Sentence(fault), " ", error.message);
  return info;
}

}  // namespace

GpuFaultSeverity ParseGpuFaultSeverity(std::string_view text) {
  const auto* const found =
      std::find(kSeverities.begin(), kSeverities.end(), text);
  return found == kSeverities.end()
             ? GpuFaultSeverity::kWarn
             : static_cast<GpuFaultSeverity>(found - kSeverities.begin());
}

std::string_view GpuFaultSeverityName(GpuFaultSeverity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

GpuFaultSeverity GpuFaultSeverityFor(GpuFaultKind kind, std::int64_t code) {
  if (kind == GpuFaultKind::kSxid) return GpuFaultSeverity::kCritical;
  const XidRow* const row = FindXid(code);
  return row == nullptr ? GpuFaultSeverity::kWarn : row->severity;
}

std::optional<GpuFault> ParseGpuFaultMessage(std::string_view message) {
  if (!message.starts_with(kMessagePrefix)) return std::nullopt;
  GpuFault fault;
  std::string_view key = "xid";
  std::size_t start = message.find(" xid=");
  if (start == std::string_view::npos) {
    start = message.find(" sxid=");
    if (start == std::string_view::npos) return std::nullopt;
    fault.kind = GpuFaultKind::kSxid;
    key = "sxid";
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
  if (!absl::SimpleAtoi(fields[std::string(key)], &fault.code)) {
    return std::nullopt;
  }
  const auto severity = fields.find("severity");
  fault.severity = severity == fields.end()
                       ? GpuFaultSeverityFor(fault.kind, fault.code)
                       : ParseGpuFaultSeverity(severity->second);
  fault.pci = fields["pci"];
  fault.gpu_uuid = fields["gpu_uuid"];
  std::int64_t index = 0;
  if (absl::SimpleAtoi(fields["gpu_index"], &index)) fault.gpu_index = index;
  return fault;
}

std::string_view GpuFaultCode(const GpuFault& fault) {
  if (fault.kind == GpuFaultKind::kSxid) return kNvlinkError;
  const XidRow* const row = FindXid(fault.code);
  return row == nullptr ? kXidError : row->failure;
}

bool IsGenericCode(std::string_view code) {
  static const RE2& exit_code = *new RE2("(?i:exit[ _-]?code[ _-]?)?[0-9]+");
  return code.empty() || code == "Unknown" || code == kUnknownError ||
         code == "Error" || code == kInterrupted ||
         RE2::FullMatch(re2::StringPiece(code.data(), code.size()), exit_code);
}

bool IsRelevantToFailure(std::optional<absl::Time> from,
                         std::optional<absl::Time> until, absl::Time failure) {
  if (!from.has_value()) from = until;
  if (!until.has_value()) until = from;
  if (!from.has_value() || *until < *from) return false;
  return *from <= failure + absl::Minutes(2) &&
         *until >= failure - absl::Minutes(30);
}

GpuClassification ClassifyGpuFailure(PhaseInfo info,
                                     const std::vector<GpuFault>& faults) {
  if (faults.empty() || !IsFailure(info.phase)) {
    return {std::move(info), std::nullopt};
  }
  if (const GpuFault* const fault =
          FirstOf(GpuFaultSeverity::kCritical, faults)) {
    return {Named(std::move(info), *fault, GpuFaultCode(*fault),
                  ErrorKind::kSystem),
            *fault};
  }
  if (const GpuFault* const fault = FirstOf(GpuFaultSeverity::kUser, faults)) {
    const ExecutionError error = info.error.value_or(ExecutionError());
    return {Named(std::move(info), *fault, kXidError,
                  IsGenericCode(error.code) ? ErrorKind::kUser : error.kind),
            *fault};
  }
  return {std::move(info), faults.front()};
}

}  // namespace mulligan::flyte
