#include "policy/loader/yaml_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

constexpr size_t kMaxQuoted = 60;

// For yaml-cpp.
constexpr char kEndOfFile = '\x04';

bool IsForbiddenControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

class TextChecker {
 public:
  TextChecker(const std::string& file, YamlDialect dialect, Issues& issues)
      : file_(file), any_(dialect == YamlDialect::kAny), issues_(issues) {}

  // Returns false if the line must not be parsed. Reports one issue of each
  // kind, because a binary file has thousands.
  bool CheckLine(std::string_view line, int number) {
    bool parsable = true;
    if (const size_t at = FindInvalidUtf8(line); at != line.npos) {
      parsable = false;
      Report(bad_bytes_, number, at,
             absl::StrFormat("byte 0x%02x is not valid UTF-8",
                             static_cast<unsigned char>(line[at])));
    }
    for (size_t i = 0; i < line.size(); ++i) {
      if (any_ ? line[i] != kEndOfFile : !IsForbiddenControl(line[i])) continue;
      parsable = false;
      Report(bad_controls_, number, i,
             absl::StrFormat("control character 0x%02x is not allowed",
                             static_cast<unsigned char>(line[i])));
      break;
    }
    if (any_) return parsable;
    const size_t indent = line.find_first_not_of(" \t\r");
    const size_t tab = line.find('\t');
    if (indent != line.npos && tab < indent) {
      Report(bad_tabs_, number, tab, "tab in indentation, use spaces");
      parsable = false;
    }
    if (line.substr(0, 1) == "%") {
      Report(bad_directives_, number, 0, "directives (%) are not allowed");
      parsable = false;
    }
    return parsable;
  }

 private:
  void Report(bool& reported, int line, size_t offset, std::string message) {
    if (reported) return;
    reported = true;
    issues_.push_back({Issue::Severity::kError,
                       file_,
                       {line, static_cast<int>(offset) + 1},
                       std::move(message)});
  }

  const std::string& file_;
  const bool any_;
  Issues& issues_;
  bool bad_bytes_ = false;
  bool bad_controls_ = false;
  bool bad_tabs_ = false;
  bool bad_directives_ = false;
};

}  // namespace

bool CheckYamlText(const std::string& file, std::string_view text,
                   Issues& issues, YamlDialect dialect) {
  TextChecker checker(file, dialect, issues);
  bool parsable = true;
  int number = 1;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    parsable = checker.CheckLine(text.substr(0, end), number++) && parsable;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return parsable;
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  const size_t end =
      text.size() <= kMaxQuoted ? text.size() : Utf8Boundary(text, kMaxQuoted);
  for (const char c : text.substr(0, end)) {
    if (IsForbiddenControl(c) || c == '\n' || c == '\t' || c == '\r') {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  if (end < text.size()) out += "...";
  out += '"';
  return out;
}

}  // namespace mulligan
