#include "client/cli/policy_diff.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/json_text.h"
#include "client/cli/input/line_reader.h"
#include "client/cli/input/quick_reader.h"
#include "client/cli/input/requests.h"
#include "client/cli/story/wording.h"
#include "google/protobuf/util/time_util.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/request/workload.h"
#include "policy/verdict/candidate_verdict.h"

namespace mulligan::cli {
namespace {

using Answer = absl::StatusOr<v1::DecideResponse>;

// One line, whichever of the two it is. `redacted` is set for a record with
// blanked fields.
class LineParser {
 public:
  absl::Status Parse(std::string line, v1::DecideRequest& request,
                     bool& redacted) {
    // Each reads the other's lines, too, and finds nothing in them.
    const bool may_be_record = line.find("\"request\":") != line.npos;
    v1::DecisionRecord record;
    if (may_be_record && reader_.Read(line, record) && record.has_request()) {
      redacted = record.redacted_size() > 0;
      request.Swap(record.mutable_request());
      return absl::OkStatus();
    }
    if (!may_be_record && reader_.Read(line, request)) return absl::OkStatus();
    const absl::StatusOr<std::size_t> end = CheckJsonValue(line);
    if (!end.ok()) return end.status();
    std::string text = line;
    for (const JsonMember& member : JsonMembers(line)) {
      if (member.key == "request") text = member.value;
      if (member.key == "redacted") redacted = !JsonItems(member.value).empty();
    }
    std::vector<std::string> ignored;
    return ReadWithCare(std::move(text), request, ignored);
  }

 private:
  QuickReader reader_;
};

Answer Ask(const v1::DecideRequest& request, const PolicySet& policies) {
  v1::DecideResponse response;
  absl::Status status =
      Decide(request, policies,
             google::protobuf::util::TimeUtil::GetCurrentTime(), response);
  if (!status.ok()) return status;
  return response;
}

DiffSide Describe(const Answer& answer) {
  if (!answer.ok()) {
    const std::string error =
        absl::StrCat(absl::StatusCodeToString(answer.status().code()), ": ",
                     std::string(answer.status().message()));
    return {"no answer", "", "", error};
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

// What makes two requests differ in the same way; delays do not.
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

class Comparison {
 public:
  Comparison(const PolicySet& before, const PolicySet& after)
      : before_(before), after_(after) {}

  void Add(std::size_t line, const v1::DecideRequest& request) {
    const Answer before = Ask(request, before_);
    const Answer after = Ask(request, after_);
    if (!before.ok() && !after.ok()) return OnProblem(line, before.status());
    ++result_.requests;
    DiffGroup group;
    group.differences = DifferencesOf(before, after);
    if (group.differences.empty()) return;
    ++result_.different;
    group.cause = CauseOf(before, after);
    group.before = Describe(before);
    group.after = Describe(after);
    const auto [known, is_new] =
        groups_.emplace(KeyOf(group, before, after), result_.groups.size());
    if (is_new) {
      group.line = line;
      group.workload = DescribeWorkload(WorkloadOf(request.report()));
      result_.groups.push_back(std::move(group));
    }
    ++result_.groups[known->second].requests;
  }

  void OnProblem(std::size_t line, const absl::Status& why) {
    if (result_.unanswered++ > 0) return;
    result_.first_problem =
        absl::StrCat("line ", line, ": ", std::string(why.message()));
  }

  void OnRedacted() { ++result_.redacted; }

  DiffResult TakeResult() {
    std::stable_sort(result_.groups.begin(), result_.groups.end(),
                     [](const DiffGroup& a, const DiffGroup& b) {
                       return a.requests > b.requests;
                     });
    return std::move(result_);
  }

 private:
  static std::string DescribeWorkload(const v1::WorkloadReference& workload) {
    return absl::StrCat(workload.kind(), " ", workload.namespace_(), "/",
                        workload.name());
  }

  const PolicySet& before_;
  const PolicySet& after_;
  std::map<std::string, std::size_t> groups_;
  DiffResult result_;
};

}  // namespace

DiffResult DiffPolicies(std::istream& in, const PolicySet& before,
                        const PolicySet& after) {
  // A record is longer than the request in it.
  LineReader lines(in, 2 * kMaxRequestBytes);
  Comparison comparison(before, after);
  LineParser parser;
  std::string line;
  for (std::size_t number = 1;; ++number) {
    const LineReader::Result read = lines.Next(line);
    if (read == LineReader::Result::kEnd) break;
    if (read == LineReader::Result::kTooLong) {
      comparison.OnProblem(number, absl::InvalidArgumentError("is too long"));
      continue;
    }
    if (SkipJsonSpace(line) == line.size()) continue;
    v1::DecideRequest request;
    bool redacted = false;
    const absl::Status parsed =
        parser.Parse(std::move(line), request, redacted);
    if (!parsed.ok()) {
      comparison.OnProblem(number, parsed);
      continue;
    }
    if (redacted) comparison.OnRedacted();
    comparison.Add(number, request);
  }
  return comparison.TakeResult();
}

}  // namespace mulligan::cli
