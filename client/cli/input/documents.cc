#include "client/cli/input/documents.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/utf8.h"
#include "client/cli/base/yaml.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool IsUtf16(std::string_view bytes) {
  const std::string_view mark = bytes.substr(0, 2);
  return mark == "\xff\xfe" || mark == "\xfe\xff";
}

std::string_view FirstWord(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t:"));
}

// Which of kubectl's outputs for people `text` is; empty: none. Both begin with
// a word that no object does: "Name:", "NAME" or "NAMESPACE".
std::string_view TextOfKubectl(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view word = FirstWord(line);
  if (word == "NAME" || word == "NAMESPACE") return "kubectl get";
  const bool describes = word == "Name" && line.substr(4, 2) == ": " &&
                         (text.find("\nNamespace:") != text.npos ||
                          text.find("\nLabels:") != text.npos);
  return describes ? "kubectl describe" : "";
}

absl::StatusOr<std::vector<std::string>> SplitJson(std::string_view text) {
  std::vector<std::string> values;
  for (size_t at = SkipJsonSpace(text); at < text.size();) {
    const absl::StatusOr<size_t> end = CheckJsonValue(text, at);
    if (!end.ok()) return end.status();
    values.emplace_back(text.substr(at, *end - at));
    at = SkipJsonSpace(text, *end);
  }
  return values;
}

absl::StatusOr<std::vector<std::string>> SplitYaml(std::string_view source,
                                                   std::string& text,
                                                   Documents& documents) {
  std::string clean = SanitizeUtf8(text);
  if (clean != text) {
    documents.warnings.push_back(absl::StrFormat(
        "%s: bytes that are not UTF-8 were replaced by U+FFFD", source));
  }
  return YamlToJson(clean);
}

}  // namespace

absl::Status Prefixed(std::string_view source, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(
      status.code(),
      absl::StrFormat("%s: %s", source, std::string(status.message())));
}

bool LooksBinary(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' &&
           c != 0x1b;
  });
}

absl::StatusOr<Documents> SplitDocuments(std::string_view source,
                                         std::string bytes) {
  if (IsUtf16(bytes)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: is UTF-16, expected UTF-8 (in PowerShell: ... | Out-File "
        "-Encoding utf8)",
        source));
  }
  if (bytes.starts_with(kUtf8Mark)) {
    bytes.erase(0, kUtf8Mark.size());
  }
  if (SkipJsonSpace(bytes) == bytes.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: is empty, expected Kubernetes objects as JSON or YAML", source));
  }
  const char first = bytes[SkipJsonSpace(bytes)];
  const bool is_json = first == '{' || first == '[';
  if (!is_json && LooksBinary(bytes)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: is binary data, expected JSON, YAML or Kubernetes protobuf",
        source));
  }
  if (const std::string_view command = TextOfKubectl(bytes); !command.empty()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: is what `%s` prints for people, expected objects: use `kubectl "
        "get ... -o yaml` or `-o json`",
        source, command));
  }
  Documents documents;
  absl::StatusOr<std::vector<std::string>> values =
      is_json ? SplitJson(bytes) : SplitYaml(source, bytes, documents);
  // YAML's flow style begins like JSON.
  if (!values.ok() && is_json &&
      (source.ends_with(".yaml") || source.ends_with(".yml"))) {
    values = SplitYaml(source, bytes, documents);
  }
  if (!values.ok()) return Prefixed(source, values.status());
  bool repaired = false;
  for (std::string& value : *values) repaired |= RepairText(value);
  if (repaired) {
    documents.warnings.push_back(absl::StrFormat(
        "%s: text that is not UTF-8 was replaced by U+FFFD", source));
  }
  documents.json = *std::move(values);
  return documents;
}

}  // namespace mulligan::cli
