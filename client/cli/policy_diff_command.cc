#include "client/cli/policy_diff_command.h"

#include <fstream>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/json_to_yaml.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/input/requests.h"
#include "client/cli/policy_diff.h"
#include "client/cli/print/layout.h"
#include "nlohmann/json.hpp"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kEmbedded[] = "embedded";

Json ToJson(const DiffSide& side) {
  return {{"verdict", side.verdict},
          {"rule", side.rule},
          {"budget", side.budget},
          {"sentence", side.sentence}};
}

std::string ToJson(const DiffResult& result) {
  Json json = {{"requests", result.requests},
               {"different", result.different},
               {"unanswered", result.unanswered},
               {"redacted", result.redacted},
               {"groups", Json::array()}};
  for (const DiffGroup& group : result.groups) {
    json["groups"].push_back({{"requests", group.requests},
                              {"cause", group.cause},
                              {"differences", group.differences},
                              {"line", group.line},
                              {"workload", group.workload},
                              {"before", ToJson(group.before)},
                              {"after", ToJson(group.after)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string PaidBy(const DiffSide& side) {
  return side.budget.empty() ? side.rule : side.rule + ", " + side.budget;
}

void PrintGroup(const DiffGroup& group, Layout& page) {
  page.BlankLine();
  page.Paragraph(
      0,
      absl::StrFormat("%d %s: %s differs", group.requests, group.cause,
                      absl::StrJoin(group.differences, ", ")),
      Style::kBold);
  page.Hanging(
      "  - ",
      absl::StrFormat("%s (%s)", group.before.verdict, PaidBy(group.before)),
      Style::kRed);
  page.Hanging(
      "  + ",
      absl::StrFormat("%s (%s)", group.after.verdict, PaidBy(group.after)),
      Style::kGreen);
  page.Paragraph(2, absl::StrFormat("line %d, %s", group.line, group.workload));
  page.Hanging("    - ", group.before.sentence);
  page.Hanging("    + ", group.after.sentence);
}

std::string ToText(const DiffResult& result, bool color) {
  Layout page(kPageWidth, color);
  page.Line(absl::StrFormat("%d of %d answers differ", result.different,
                            result.requests),
            Style::kBold);
  if (result.redacted > 0) {
    page.Paragraph(0, absl::StrFormat("%d records have blanked fields: their "
                                      "answers may be others than they were",
                                      result.redacted));
  }
  for (const DiffGroup& group : result.groups) PrintGroup(group, page);
  return page.text();
}

// Null: they have errors, which were printed, or the exit code is in `code`.
std::unique_ptr<const PolicySet> Load(const std::string& path, Streams& streams,
                                      int& code) {
  std::vector<std::string> paths;
  if (path != kEmbedded) paths.push_back(path);
  absl::StatusOr<LoadedPolicies> loaded = LoadPolicyPaths(paths, streams.in);
  if (!loaded.ok()) {
    code = Fail(streams, loaded.status());
    return nullptr;
  }
  if (loaded->set == nullptr) {
    streams.err << FormatIssues(loaded->issues, loaded->texts, false);
    code = kExitPolicyInvalid;
  }
  return std::move(loaded->set);
}

int ExitCodeOf(const DiffResult& result, Streams& streams) {
  if (result.unanswered > 0) {
    PrintError(streams,
               absl::StrFormat("%d lines have no answer; the first: %s",
                               result.unanswered, result.first_problem));
    return kExitUsage;
  }
  if (result.requests == 0) {
    PrintError(streams, "there is no request, so nothing was compared");
    return kExitUsage;
  }
  return result.different > 0 ? kExitDiffers : kExitOk;
}

}  // namespace

int RunPolicyDiff(const PolicyDiffOptions& options, Streams& streams) {
  int code = kExitOk;
  const auto before = Load(options.before, streams, code);
  if (before == nullptr) return code;
  const auto after = Load(options.after, streams, code);
  if (after == nullptr) return code;
  std::ifstream file;
  const absl::StatusOr<std::istream*> in =
      OpenRequests(options.requests, streams.in, file);
  if (!in.ok()) return Fail(streams, in.status());
  const DiffResult result = DiffPolicies(**in, *before, *after);
  if (IsForPeople(options.output.format)) {
    streams.out << ToText(result, options.output.color);
  } else {
    const std::string json = ToJson(result);
    streams.out << (options.output.format == OutputFormat::kYaml
                        ? JsonToYaml(json)
                        : json);
  }
  if (const int written = FinishOutput(streams); written != kExitOk) {
    return written;
  }
  return ExitCodeOf(result, streams);
}

}  // namespace mulligan::cli
