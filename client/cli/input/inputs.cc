#include "client/cli/input/inputs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/gzip.h"
#include "google/protobuf/util/time_util.h"
#include "policy/base/shell.h"

namespace mulligan::cli {
namespace {

std::string SourceName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

absl::StatusOr<std::string> ReadAll(std::istream& stream,
                                    const std::string& name,
                                    std::uintmax_t expected = 0) {
  std::string bytes;
  // Growing copies, and so needs twice the memory of a large file.
  if (expected <= kMaxInputBytes) bytes.reserve(expected);
  std::array<char, 1 << 16> buffer;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    bytes.append(buffer.data(), static_cast<size_t>(stream.gcount()));
    if (bytes.size() > kMaxInputBytes) {
      return Invalid("%s: is larger than %d MiB", name, kMaxInputBytes >> 20);
    }
  }
  if (stream.bad()) {
    return Invalid("%s: cannot be read: %s", name, std::strerror(errno));
  }
  return bytes;
}

absl::Status WriteDirectly(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return absl::OkStatus();
  return Invalid("%s: cannot be written: %s", path, std::strerror(errno));
}

// Rejects a second use of standard input, which would silently be empty.
absl::Status CheckStandardInput(const RequestOptions& options) {
  const auto uses =
      std::ranges::count(options.files, "-") + (options.ledger == "-" ? 1 : 0);
  if (uses <= 1) return absl::OkStatus();
  return Invalid("\"-\": standard input is named %d times, expected once",
                 uses);
}

absl::Status SetObservedAt(const RequestOptions& options,
                           const google::protobuf::Timestamp& now,
                           v1::FailureReport& report) {
  if (options.observed_at.empty()) {
    if (!report.has_observed_at()) *report.mutable_observed_at() = now;
    return absl::OkStatus();
  }
  if (google::protobuf::util::TimeUtil::FromString(
          options.observed_at, report.mutable_observed_at())) {
    return absl::OkStatus();
  }
  return Invalid(
      "--observed-at: \"%s\" is not a time such as 2026-01-31T08:00:00Z",
      Printable(options.observed_at));
}

// REQUIRES: `level` is empty, or as the flag's check admits.
void SetExplain(const std::string& level, OutputFormat format,
                v1::DecideRequest& request) {
  if (level == "none") {
    request.set_explain(v1::DecideRequest::EXPLAIN_NONE);
  } else if (level == "summary") {
    request.set_explain(v1::DecideRequest::SUMMARY);
  } else if (level == "full" ||
             (request.explain() == v1::DecideRequest::EXPLAIN_UNSPECIFIED &&
              IsForPeople(format))) {
    request.set_explain(v1::DecideRequest::FULL);
  }
}

absl::Status NotOneWorkload(const std::string& which, std::size_t named,
                            const std::vector<std::string>& labels) {
  constexpr std::size_t kMaxListed = 10;
  const std::size_t listed = std::min(labels.size(), kMaxListed);
  return Invalid(
      "--workload: \"%s\" names %d of the %d workloads in the input, expected "
      "one as KIND/NAME or KIND/NAMESPACE/NAME; there are: %s%s",
      Printable(which), named, labels.size(),
      Printable(absl::StrJoin(labels.begin(),
                              labels.begin() + static_cast<ptrdiff_t>(listed),
                              ", ")),
      listed < labels.size() ? ", ..." : "");
}

// Keeps only the workload that --workload names, and names it in the report if
// all objects belong to it.
absl::Status ChooseWorkload(const std::string& which, Inputs& inputs) {
  if (which.empty()) return absl::OkStatus();
  const bool is_one = inputs.workloads.empty();
  std::vector<const WorkloadGroup*> groups;
  for (const WorkloadGroup& group : inputs.groups) groups.push_back(&group);
  for (const WorkloadReport& one : inputs.workloads)
    groups.push_back(&one.group);
  std::vector<std::string> labels;
  std::vector<std::size_t> named;
  for (const WorkloadGroup* group : groups) {
    if (IsNamed(*group, which)) named.push_back(labels.size());
    labels.push_back(group->Label());
  }
  if (is_one ? named.empty() && !groups.empty() : named.size() != 1) {
    return NotOneWorkload(which, named.size(), labels);
  }
  v1::FailureReport& report = *inputs.request.mutable_report();
  if (is_one) {
    report.mutable_workload()->set_name(which.substr(which.rfind('/') + 1));
  } else {
    report = std::move(inputs.workloads[named.front()].report);
    inputs.workloads.clear();
  }
  return absl::OkStatus();
}

// Rejects flags that need a single workload.
absl::Status CheckOneWorkload(const RequestOptions& options,
                              const Inputs& inputs) {
  if (inputs.workloads.empty()) return absl::OkStatus();
  const char* flag = !options.ledger.empty()       ? "--ledger"
                     : !options.ledger_out.empty() ? "--ledger-out"
                     : !options.failure_id.empty() ? "--failure-id"
                     : options.attempt.has_value() ? "--attempt"
                     : !options.hints.empty()      ? "--hint"
                     : !options.limits.empty()     ? "--limit"
                                                   : nullptr;
  if (flag == nullptr) return absl::OkStatus();
  return Invalid(
      "%s: is of one workload, and the input has %d (%s, %s%s); choose one "
      "with %s",
      flag, inputs.workloads.size(),
      Printable(inputs.workloads[0].group.Label()),
      Printable(inputs.workloads[1].group.Label()),
      inputs.workloads.size() > 2 ? ", ..." : "", Printable(options.name_one));
}

absl::Status BadHint(std::string_view text, std::string_view why) {
  return Invalid(
      "--hint %s: %s; expected SOURCE:CAUSE[:CONFIDENCE[:TEXT]], for example "
      "\"node-health:GPU_FAULT:MEDIUM:Xid 79\"",
      Printable(text), why);
}

absl::StatusOr<std::string> ReadBytes(const std::string& path,
                                      std::istream& standard_input) {
  if (path == "-") return ReadAll(standard_input, SourceName(path));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return Invalid("%s: is a directory, expected a file", path);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        absl::StrFormat("%s: %s", path, std::strerror(errno)));
  }
  return ReadAll(file, path, std::filesystem::file_size(path, error));
}

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      std::istream& standard_input) {
  absl::StatusOr<std::string> bytes = ReadBytes(path, standard_input);
  if (!bytes.ok()) return bytes;
  if (const std::string_view reader = OtherDecompressor(*bytes);
      !reader.empty()) {
    return Invalid("%s: is compressed, expected text or gzip: %s %s | ...",
                   SourceName(path), reader, ShellWord(path));
  }
  if (!IsGzip(*bytes)) return bytes;
  absl::StatusOr<std::string> text = Gunzip(*bytes, kMaxInputBytes);
  if (text.ok()) return text;
  return Prefixed(SourceName(path), text.status());
}

absl::Status WriteOutput(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return WriteDirectly(path, text);
  }
  const std::string temporary = path + ".tmp";
  absl::Status status = WriteDirectly(temporary, text);
  if (status.ok()) {
    fs::rename(temporary, path, error);
    if (!error) return absl::OkStatus();
    status = Invalid("%s: cannot be written: %s", path, error.message());
  }
  fs::remove(temporary, error);
  return status;
}

absl::StatusOr<Inputs> ReadInputs(const std::vector<std::string>& paths,
                                  std::istream& standard_input) {
  ReportBuilder builder;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> bytes = ReadInput(path, standard_input);
    if (!bytes.ok()) return bytes.status();
    absl::Status status = builder.Add(SourceName(path), *std::move(bytes));
    if (!status.ok()) return status;
  }
  Inputs inputs;
  inputs.workloads = builder.Workloads();
  if (inputs.workloads.empty()) {
    absl::StatusOr<v1::DecideRequest> request = builder.Build();
    if (!request.ok()) return request.status();
    inputs.request = *std::move(request);
    inputs.groups = builder.Groups();
  }
  inputs.warnings = builder.warnings();
  return inputs;
}

absl::StatusOr<v1::BudgetLedger> ReadLedger(const std::string& path,
                                            std::istream& standard_input) {
  const std::string source = SourceName(path);
  absl::StatusOr<std::string> bytes = ReadInput(path, standard_input);
  if (!bytes.ok()) return bytes.status();
  v1::BudgetLedger ledger;
  if (SkipJsonSpace(*bytes) == bytes->size()) return ledger;
  const absl::StatusOr<Documents> documents =
      SplitDocuments(source, *std::move(bytes));
  if (!documents.ok()) return documents.status();
  if (documents->json.size() != 1 ||
      TypeOfJson(documents->json[0]) != JsonType::kObject) {
    return Invalid("%s: expected one BudgetLedger object", source);
  }
  std::string_view json = documents->json[0];
  for (const JsonMember& member : JsonMembers(json)) {
    if (member.key == "ledger") json = member.value;
  }
  if (!NamesFieldOf(json, *v1::BudgetLedger::descriptor()) &&
      !JsonMembers(json).empty()) {
    return Invalid(
        "%s: has no field of a BudgetLedger, expected the `ledger` of an "
        "earlier answer",
        source);
  }
  absl::Status status = ParseProtoJson(json, ledger);
  if (status.ok()) return ledger;
  return Prefixed(source, status);
}

absl::StatusOr<Inputs> MakeRequest(const RequestOptions& options,
                                   OutputFormat format,
                                   const google::protobuf::Timestamp& now,
                                   std::istream& standard_input) {
  if (absl::Status status = CheckStandardInput(options); !status.ok()) {
    return status;
  }
  absl::StatusOr<Inputs> inputs = ReadInputs(options.files, standard_input);
  if (!inputs.ok()) return inputs;
  absl::Status chosen = ChooseWorkload(options.workload, *inputs);
  if (chosen.ok()) chosen = CheckOneWorkload(options, *inputs);
  if (!chosen.ok()) return chosen;
  v1::DecideRequest& request = inputs->request;
  v1::FailureReport& report = *request.mutable_report();
  absl::Status status = SetObservedAt(options, now, report);
  if (!status.ok()) return status;
  SetExplain(options.explain, format, request);
  if (!options.failure_id.empty()) report.set_failure_id(options.failure_id);
  if (options.attempt.has_value()) report.set_attempt(*options.attempt);
  for (const std::string& text : options.hints) {
    absl::StatusOr<v1::Hint> hint = ParseHint(text);
    if (!hint.ok()) return hint.status();
    *report.add_hints() = *std::move(hint);
  }
  for (const std::string& text : options.limits) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    std::int32_t limit = 0;
    if (!absl::SimpleAtoi(parts.second, &limit)) {
      return Invalid(
          "--limit %s: expected BUDGET=N, for example disruption=200",
          Printable(text));
    }
    (*request.mutable_limits())[parts.first] = limit;
  }
  if (!options.policy_name.empty()) request.set_policy(options.policy_name);
  if (options.compare_native || IsForPeople(format)) {
    request.set_compare_native(true);
  }
  if (!options.ledger.empty()) {
    absl::StatusOr<v1::BudgetLedger> ledger =
        ReadLedger(options.ledger, standard_input);
    if (!ledger.ok()) return ledger.status();
    *request.mutable_ledger() = *std::move(ledger);
    inputs->ledger_source = options.ledger;
  }
  return inputs;
}

absl::StatusOr<v1::Hint> ParseHint(std::string_view text) {
  v1::Hint hint;
  std::vector<std::string> parts = absl::StrSplit(
      absl::string_view(text.data(), text.size()), absl::MaxSplits(':', 3));
  parts.resize(4);
  hint.set_source(parts[0]);
  const std::string& cause = parts[1];
  const std::string& confidence = parts[2];
  hint.set_text(parts[3]);
  if (hint.source().empty()) return BadHint(text, "the source is missing");
  v1::Cause known = v1::CAUSE_UNSPECIFIED;
  if (!v1::Cause_Parse(cause, &known) || known == v1::CAUSE_UNSPECIFIED) {
    return BadHint(text,
                   absl::StrFormat("\"%s\" is not a cause (docs/causes.md)",
                                   Printable(cause)));
  }
  hint.set_cause(known);
  v1::Diagnosis::Confidence sure = v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  if (!confidence.empty() &&
      (!v1::Diagnosis::Confidence_Parse(confidence, &sure) ||
       sure == v1::Diagnosis::CONFIDENCE_UNSPECIFIED)) {
    return BadHint(text,
                   absl::StrFormat("\"%s\" is not one of LOW, MEDIUM, HIGH",
                                   Printable(confidence)));
  }
  hint.set_confidence(sure);
  return hint;
}

}  // namespace mulligan::cli
