#include "client/cli/input/policy_files.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/input/inputs.h"
#include "google/protobuf/util/time_util.h"
#include "policy/decide.h"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

absl::StatusOr<std::vector<PolicyText>> ReadPath(const std::string& path,
                                                 std::istream& standard_input,
                                                 Issues& issues) {
  if (path == "-") {
    absl::StatusOr<std::string> yaml = ReadInput(path, standard_input);
    if (!yaml.ok()) return yaml.status();
    return std::vector<PolicyText>{{"<stdin>", *std::move(yaml)}};
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrFormat(
        "%s: no such file or directory, expected a policy", path));
  }
  return std::filesystem::is_directory(path, error)
             ? ReadPolicyDirectory(path, issues)
             : ReadPolicyFile(path, issues);
}

constexpr std::size_t kMaxLines = 40;

std::size_t IndentOf(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent == line.npos ? line.size() : indent;
}

bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

}  // namespace

absl::StatusOr<LoadedPolicies> LoadPolicyPaths(
    const std::vector<std::string>& paths, std::istream& standard_input) {
  LoadedPolicies loaded;
  for (const std::string& path : paths) {
    absl::StatusOr<std::vector<PolicyText>> texts =
        ReadPath(path, standard_input, loaded.issues);
    if (!texts.ok()) return texts.status();
    loaded.texts.insert(loaded.texts.end(),
                        std::make_move_iterator(texts->begin()),
                        std::make_move_iterator(texts->end()));
  }
  loaded.files = loaded.texts.size();
  for (const Issue& issue : loaded.issues) {
    std::error_code error;
    if (!std::filesystem::is_directory(issue.file, error)) ++loaded.files;
  }
  // Unreadable files do not hide errors in the others.
  loaded.set = LoadPolicies(loaded.texts, loaded.issues);
  if (HasErrors(loaded.issues)) loaded.set = nullptr;
  return loaded;
}

int LoadValid(const std::vector<std::string>& paths, Streams& streams,
              LoadedPolicies& policies) {
  absl::StatusOr<LoadedPolicies> loaded = LoadPolicyPaths(paths, streams.in);
  if (!loaded.ok()) return Fail(streams, loaded.status());
  policies = *std::move(loaded);
  if (policies.set != nullptr) return kExitOk;
  streams.err << FormatIssues(policies.issues, policies.texts,
                              /*color=*/false);
  PrintError(streams,
             "the policies have errors: " + SummarizeIssues(policies.issues));
  return kExitPolicyInvalid;
}

absl::StatusOr<v1::DecideResponse> DecideAt(
    const google::protobuf::Timestamp& now, const v1::DecideRequest& request,
    const PolicySet& policies, const DecideOptions& options) {
  v1::DecideResponse response;
  absl::Status status = Decide(request, policies, now, response, options);
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<v1::DecideResponse> DecideNow(const v1::DecideRequest& request,
                                             const PolicySet& policies) {
  return DecideAt(google::protobuf::util::TimeUtil::GetCurrentTime(), request,
                  policies);
}

google::protobuf::RepeatedPtrField<v1::PolicyIssue> ToMessages(
    const Issues& issues) {
  google::protobuf::RepeatedPtrField<v1::PolicyIssue> messages;
  for (const Issue& issue : issues) *messages.Add() = ToPolicyIssue(issue);
  return messages;
}

RuleLines RuleLinesAt(std::string_view yaml, int line, int column) {
  RuleLines rule;
  rule.first = line;
  // A line with less indent ends the block.
  std::size_t least = 0;
  for (int number = 1; !yaml.empty(); ++number) {
    const std::size_t end = yaml.find('\n');
    const std::string_view text = yaml.substr(0, end);
    yaml = end == yaml.npos ? std::string_view() : yaml.substr(end + 1);
    if (number < line) continue;
    if (number == line) {
      const std::size_t indent = IndentOf(text);
      const bool own_line = column == static_cast<int>(indent) + 1;
      least = own_line ? indent : indent + 1;
    } else if (!IsBlankLine(text) && IndentOf(text) < least) {
      break;
    }
    rule.lines.emplace_back(text);
    if (rule.lines.size() == kMaxLines) break;
  }
  while (!rule.lines.empty() && IsBlankLine(rule.lines.back())) {
    rule.lines.pop_back();
  }
  return rule;
}

RuleLines FindRule(const std::vector<PolicyText>& texts,
                   const v1::RuleReference& rule) {
  if (rule.line() == 0) return {};
  for (const PolicyText& text : texts) {
    if (text.file == rule.file()) {
      return RuleLinesAt(text.yaml, rule.line(), rule.column());
    }
  }
  const PolicyText embedded = EmbeddedPolicy();
  return rule.file() == embedded.file
             ? RuleLinesAt(embedded.yaml, rule.line(), rule.column())
             : RuleLines{};
}

}  // namespace mulligan::cli
