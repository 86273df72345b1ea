#include "client/cli/input/inputs.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/documents.h"

namespace mulligan::cli {
namespace {

std::string SourceName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

absl::StatusOr<std::string> ReadAll(std::istream& stream,
                                    const std::string& name) {
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    bytes.append(buffer.data(), static_cast<size_t>(stream.gcount()));
    if (bytes.size() > kMaxInputBytes) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: is larger than %d MiB", name, kMaxInputBytes >> 20));
    }
  }
  if (stream.bad()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: cannot be read: %s", name, std::strerror(errno)));
  }
  return bytes;
}

absl::Status WriteDirectly(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: cannot be written: %s", path, std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      std::istream& standard_input) {
  if (path == "-") return ReadAll(standard_input, SourceName(path));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: is a directory, expected a file", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        absl::StrFormat("%s: %s", path, std::strerror(errno)));
  }
  return ReadAll(file, path);
}

absl::Status WriteOutput(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return WriteDirectly(path, text);
  }
  const std::string temporary = path + ".tmp";
  if (absl::Status status = WriteDirectly(temporary, text); !status.ok()) {
    return status;
  }
  fs::rename(temporary, path, error);
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: cannot be written: %s", path, error.message()));
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
  }
  inputs.warnings = builder.warnings();
  inputs.specs = builder.specs();
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
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: expected one BudgetLedger object", source));
  }
  std::string_view json = documents->json[0];
  for (const JsonMember& member : JsonMembers(json)) {
    if (member.key == "ledger") json = member.value;
  }
  if (!NamesFieldOf(json, *v1::BudgetLedger::descriptor()) &&
      !JsonMembers(json).empty()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has no field of a BudgetLedger, expected the `ledger` of an "
        "earlier answer",
        source));
  }
  absl::Status status = ParseProtoJson(json, ledger);
  if (status.ok()) return ledger;
  return Prefixed(source, status);
}

}  // namespace mulligan::cli
