#include "client/cli/desk/desk_json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/print/html.h"
#include "client/cli/story/story.h"

namespace mulligan::cli {
namespace {

AnswerView ViewOfAttempt(const Failure& failure, const AnsweredAttempt& attempt,
                         const LoadedPolicies& policies) {
  v1::DecideResponse response = attempt.response;
  DropNativeWarnings(response);
  for (const std::string& warning : failure.warnings) {
    response.add_warnings(warning);
  }
  RuleLines rule =
      FindRule(policies.texts, response.explanation().matched_rule());
  return {MakeStory(attempt.request, response, failure.ledger_source),
          attempt.request.report(), std::move(response), std::move(rule)};
}

}  // namespace

DeskJson IssuesJson(const Issues& issues) {
  DeskJson json = DeskJson::array();
  for (const Issue& issue : issues) {
    json.push_back(
        {{"file", issue.file},
         {"line", issue.position.line},
         {"column", issue.position.column},
         {"severity",
          issue.severity == Issue::Severity::kError ? "error" : "warning"},
         {"message", issue.message}});
  }
  return json;
}

DeskJson StoryJson(const Failure& failure,
                   const std::vector<AnsweredAttempt>& attempts,
                   const LoadedPolicies& policies) {
  const AnswerView view = ViewOfAttempt(failure, attempts.back(), policies);
  const v1::RuleReference& rule = view.response.explanation().matched_rule();
  DeskJson json = {
      {"headline", view.story.headline},
      {"class", LookOf(view.response.decision().action()).html_class},
      {"rule",
       {{"policy", rule.policy()},
        {"rule", rule.rule()},
        {"file", rule.file()},
        {"line", rule.line()}}},
      {"workload", failure.workload},
      {"html", HtmlArticle(view)}};
  constexpr const char* kSides[][2] = {{"verdict", "price"},
                                       {"native", "nativePrice"}};
  const std::vector<Side>& sides = view.story.sides;
  for (std::size_t i = 0; i < std::min(sides.size(), std::size(kSides)); ++i) {
    json[kSides[i][0]] =
        i == 0 ? sides[i].verdict
               : absl::StrCat(sides[i].who, ": ", sides[i].verdict);
    json[kSides[i][1]] = sides[i].Price();
  }
  DeskJson& choices = json["choices"] = DeskJson::array();
  for (const WorkloadChoice& choice : failure.choices) {
    choices.push_back({{"label", choice.label}, {"verdict", choice.verdict}});
  }
  return json;
}

DeskJson SuiteJson(const SuiteOutcome& outcome) {
  DeskJson json = {{"file", outcome.result.file()},
                   {"issues", IssuesJson(outcome.issues)},
                   {"cases", DeskJson::array()}};
  for (const v1::PolicyTestCaseResult& result : outcome.result.cases()) {
    DeskJson failures = DeskJson::array();
    for (const v1::PolicyTestFailure& failure : result.failures()) {
      failures.push_back(DescribeFailure(failure));
    }
    json["cases"].push_back({{"name", result.name()},
                             {"line", result.line()},
                             {"failures", std::move(failures)}});
  }
  return json;
}

DeskJson CoverageJson(const RuleCoverage& coverage) {
  int rules = 0;
  int decided = 0;
  DeskJson never = DeskJson::array();
  for (const v1::PolicyCoverage& policy : coverage.Report()) {
    rules += policy.rules();
    decided += policy.decided();
    for (const v1::RuleReference& rule : policy.never_decided()) {
      never.push_back(absl::StrCat(rule.policy(), "/", rule.rule()));
    }
  }
  return {{"rules", rules}, {"decided", decided}, {"never", std::move(never)}};
}

DeskJson ComparedJson(const LoadedLog& log, const Compared& compared) {
  const ReplayResult& result = compared.result;
  DeskJson json = {{"log", log.name},
                   {"decisions", result.all.decisions},
                   {"changed", result.all.changed()},
                   {"left", compared.left},
                   {"cut", log.is_cut},
                   {"unreadable", result.bad_lines},
                   {"examples", DeskJson::array()},
                   {"html", ReplayArticle(result, "the policies on the page")}};
  for (const auto& [place, example] : result.examples.all()) {
    // Positions are unique; lines of several files are not.
    const auto line = std::ranges::find_if(
        log.lines, [&place = place](const LoadedLog::Line& one) {
          return !(one.place < place) && !(place < one.place);
        });
    json["examples"].push_back({{"line", line - log.lines.begin() + 1},
                                {"workload", example.workload},
                                {"change", example.change}});
  }
  if (result.bad_lines > 0) {
    const auto& [place, why] = *result.bad.all().begin();
    json["firstUnreadable"] = absl::StrCat(place.Text(), ": ", why);
  }
  return json;
}

}  // namespace mulligan::cli
