// `mulligan policy diff`.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <istream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/commands.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/input/quick_reader.h"
#include "client/cli/input/requests.h"
#include "client/cli/print/layout.h"
#include "client/cli/story/wording.h"
#include "mulligan/v1/decision_record.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "nlohmann/json.hpp"
#include "policy/compare.h"
#include "policy/limits.h"
#include "policy/loader/issue_format.h"
#include "policy/request/workload.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {
namespace {

struct PolicyDiffOptions {
  // Policy files or directories; "embedded" for the built-in policies.
  std::string before;
  std::string after;
  // DecideRequests or DecisionRecords, one per line.
  std::string requests;
  OutputOptions output;
};

using Json = nlohmann::ordered_json;

constexpr char kEmbedded[] = "embedded";

// The answer of one set.
struct DiffSide {
  // "RETRY the pod in 9s", or "no answer".
  std::string verdict;
  // "training/out-of-memory"; without a rule only the policy.
  std::string rule;
  // Budget that pays; empty if none does.
  std::string budget;
  // The sentence of the answer, or the error.
  std::string sentence;
};

// Requests that differ in the same way: with equal cause, rules, actions and
// budgets on both sides.
struct DiffGroup {
  std::string cause;
  // Names of CandidateVerdict.Difference, in enum order.
  std::vector<std::string> differences;
  std::size_t requests = 0;
  // Line and workload of the first one.
  std::size_t line = 0;
  std::string workload;
  DiffSide before;
  DiffSide after;
};

struct DiffResult {
  // With an answer from at least one of the sets.
  std::size_t requests = 0;
  std::size_t different = 0;
  // The largest first.
  std::vector<DiffGroup> groups;
  // Lines that are neither a request nor a record, or that neither set can
  // answer, and the problem of the first.
  std::size_t unanswered = 0;
  std::string first_problem;
  // Records with redacted fields, so that the answers may differ from the
  // recorded ones.
  std::size_t redacted = 0;
};

using Answer = absl::StatusOr<v1::DecideResponse>;

// Parses a line of either type. Sets `redacted` for a record with redacted
// fields.
absl::Status ParseLine(const std::string& line, QuickReader& reader,
                       v1::DecideRequest& request, bool& redacted) {
  // Each type parses the other's lines, too, but finds no fields.
  const bool may_be_record = line.find("\"request\":") != line.npos;
  v1::DecisionRecord record;
  if (may_be_record && reader.Read(line, record) && record.has_request()) {
    redacted = record.redacted_size() > 0;
    request.Swap(record.mutable_request());
    return absl::OkStatus();
  }
  if (!may_be_record && reader.Read(line, request)) return absl::OkStatus();
  const absl::StatusOr<std::size_t> end = CheckJsonValue(line);
  if (!end.ok()) return end.status();
  std::string text = line;
  for (const JsonMember& member : JsonMembers(line)) {
    if (member.key == "request") text = member.value;
    if (member.key == "redacted") redacted = !JsonItems(member.value).empty();
  }
  std::vector<std::string> ignored;
  return ParseRequestLine(std::move(text), request, ignored);
}

DiffSide Describe(const Answer& answer) {
  if (!answer.ok()) {
    return {"no answer", "", "",
            absl::StrCat(absl::StatusCodeToString(answer.status().code()), ": ",
                         std::string(answer.status().message()))};
  }
  const std::string& rule = answer->explanation().matched_rule().rule();
  return {VerdictLine(answer->decision()),
          rule.empty() ? answer->policy().name()
                       : absl::StrCat(answer->policy().name(), "/", rule),
          answer->accounting().charged_to(), answer->decision().sentence()};
}

std::string CauseOf(const Answer& before, const Answer& after) {
  const Answer& answer = before.ok() ? before : after;
  return answer.ok() ? v1::Cause_Name(answer->diagnosis().cause()) : "";
}

std::vector<std::string> DifferencesOf(const Answer& before,
                                       const Answer& after) {
  std::vector<std::string> names;
  if (before.ok() && after.ok()) {
    for (const auto difference : Differences(*before, *after)) {
      names.push_back(v1::CandidateVerdict::Difference_Name(difference));
    }
  } else {
    names.push_back(
        v1::CandidateVerdict::Difference_Name(v1::CandidateVerdict::NO_ANSWER));
  }
  return names;
}

// Requests with the same key differ in the same way; delays do not count.
std::string KeyOf(const DiffGroup& group, const Answer& before,
                  const Answer& after) {
  std::string key =
      absl::StrCat(group.cause, "|", absl::StrJoin(group.differences, ","));
  for (const auto& [side, answer] :
       {std::pair(&group.before, &before), std::pair(&group.after, &after)}) {
    absl::StrAppend(&key, "|", side->rule, "|", side->budget, "|",
                    answer->ok() ? (*answer)->decision().action() : 0, "|",
                    answer->ok() ? (*answer)->decision().scope() : 0);
  }
  return key;
}

void AddProblem(std::size_t line, const absl::Status& why, DiffResult& result) {
  if (result.unanswered++ > 0) return;
  result.first_problem = absl::StrFormat("line %d: %s", line, why.message());
}

// `places` maps the keys of the groups to their indexes.
void AddAnswers(std::size_t line, const v1::DecideRequest& request,
                const Answer& before, const Answer& after,
                std::map<std::string, std::size_t>& places,
                DiffResult& result) {
  if (!before.ok() && !after.ok()) {
    return AddProblem(line, before.status(), result);
  }
  ++result.requests;
  DiffGroup group;
  group.differences = DifferencesOf(before, after);
  if (group.differences.empty()) return;
  ++result.different;
  group.cause = CauseOf(before, after);
  group.before = Describe(before);
  group.after = Describe(after);
  const auto [known, is_new] =
      places.emplace(KeyOf(group, before, after), result.groups.size());
  if (is_new) {
    group.line = line;
    const v1::WorkloadReference workload = WorkloadOf(request.report());
    group.workload = absl::StrCat(workload.kind(), " ", workload.namespace_(),
                                  "/", workload.name());
    result.groups.push_back(std::move(group));
  }
  ++result.groups[known->second].requests;
}

// Decides each line of `in`, a DecideRequest or DecisionRecord in proto JSON,
// under both sets. Blank lines are skipped, and no line ends the run. Memory is
// bounded by the number of groups.
DiffResult DiffPolicies(std::istream& in, const PolicySet& before,
                        const PolicySet& after) {
  // A record is longer than its request.
  LineReader lines(in, 2 * kMaxRequestBytes);
  DiffResult result;
  std::map<std::string, std::size_t> places;
  QuickReader reader;
  std::string line;
  for (std::size_t number = 1;; ++number) {
    const LineReader::Result read = lines.Next(line);
    if (read == LineReader::Result::kEnd) break;
    if (read == LineReader::Result::kTooLong) {
      AddProblem(number, Invalid("is too long"), result);
      continue;
    }
    if (SkipJsonSpace(line) == line.size()) continue;
    v1::DecideRequest request;
    bool redacted = false;
    const absl::Status parsed = ParseLine(line, reader, request, redacted);
    if (!parsed.ok()) {
      AddProblem(number, parsed, result);
      continue;
    }
    if (redacted) ++result.redacted;
    AddAnswers(number, request, DecideNow(request, before),
               DecideNow(request, after), places, result);
  }
  std::ranges::stable_sort(result.groups, std::ranges::greater(),
                           &DiffGroup::requests);
  return result;
}

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
    page.Paragraph(0,
                   absl::StrFormat("%d records have blanked fields: their "
                                   "answers may differ from the recorded ones",
                                   result.redacted));
  }
  for (const DiffGroup& group : result.groups) PrintGroup(group, page);
  return page.text();
}

// Returns null after printing the errors; `code` is then the exit code.
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

// Returns the exit code, as diff(1): kExitOk if no answers differ, else
// kExitDiffers; kExitUsage if nothing was compared, or if neither set answers
// some line.
int RunPolicyDiff(PolicyDiffOptions& options, Streams& streams) {
  int code = kExitOk;
  const auto before = Load(options.before, streams, code);
  if (before == nullptr) return code;
  const auto after = Load(options.after, streams, code);
  if (after == nullptr) return code;
  return PrintPolicyDiff(options.requests, *before, *after, options.output,
                         streams);
}

}  // namespace

int PrintPolicyDiff(const std::string& requests, const PolicySet& before,
                    const PolicySet& after, const OutputOptions& output,
                    Streams& streams) {
  std::ifstream file;
  const absl::StatusOr<std::istream*> in =
      OpenRequests(requests, streams.in, file);
  if (!in.ok()) return Fail(streams, in.status());
  const DiffResult result = DiffPolicies(**in, before, after);
  if (IsForPeople(output.format)) {
    streams.out << ToText(result, output.color);
  } else {
    const std::string json = ToJson(result);
    streams.out << (output.format == OutputFormat::kYaml ? JsonToYaml(json)
                                                         : json);
  }
  if (const int written = FinishOutput(streams); written != kExitOk) {
    return written;
  }
  return ExitCodeOf(result, streams);
}

void AddPolicyDiff(CLI::App& policy, Streams& streams, int& code) {
  const auto [diff, options] =
      AddCommand("diff", "Print what other policies answer differently",
                 R"(Exit codes: 0 no answer differs, 1 one does, 2 bad input, 3
invalid policy.

Example:
  mulligan policy diff policies/ new/ --requests decisions.jsonl)",
                 RunPolicyDiff, policy, streams, code);
  AddOption(diff, "BEFORE", options.before,
            "Policy file or directory, or \"embedded\"", "BEFORE")
      ->required();
  AddOption(diff, "AFTER", options.after, "The same to compare with", "AFTER")
      ->required();
  AddOption(diff, "--requests", options.requests,
            "Requests or decision records, one a line", "FILE")
      ->required();
  AddOutputFlags(diff, options.output);
}

}  // namespace mulligan::cli
