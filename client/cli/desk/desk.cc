#include "client/cli/desk/desk.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/base/json_text.h"
#include "client/cli/desk/failure.h"
#include "client/cli/desk/kept_case.h"
#include "client/cli/desk/loaded_log.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/print/html.h"
#include "client/cli/story/story.h"
#include "client/cli/suite/suite.h"
#include "nlohmann/json.hpp"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/limits.h"
#include "policy/loader/load.h"

namespace mulligan::cli {
namespace {

// The page shows strings as text. Only "html" is markup, escaped already
// (print/html.h).
using DeskJson = nlohmann::ordered_json;

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

// [{"file", "line", "column", "severity": "error" or "warning", "message"}]
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

// Describes the latest attempt, with all before it: {"headline", "verdict",
// "class", "price", "native", "nativePrice", "rule": {"policy", "rule", "file",
// "line"}, "html", "choices", "workload"}
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

// {"file", "issues", "cases": [{"name", "line", "failures": [text]}]}
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

// {"rules", "decided", "never": ["training/default"]}, over all policies.
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

// {"log", "decisions", "changed", "left", "cut", "unreadable",
// "firstUnreadable", "examples": [{"line", "workload", "change"}], "html"}
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

DeskAnswer JsonAnswer(const DeskJson& json) {
  // The user's files and texts may hold any bytes.
  return {200, "application/json",
          json.dump(-1, ' ', false, DeskJson::error_handler_t::replace)};
}

DeskAnswer ErrorAnswerOf(const absl::Status& status) {
  return ErrorAnswer(400, std::string(status.message()));
}

LoadedPolicies LoadTexts(const std::vector<PolicyText>& texts) {
  LoadedPolicies loaded;
  loaded.texts = texts;
  loaded.files = texts.size();
  PatternAllowance allowance(kMaxCheckedCompileSteps);
  loaded.set = LoadPolicies(texts, loaded.issues, allowance);
  if (HasErrors(loaded.issues)) loaded.set = nullptr;
  return loaded;
}

DeskAnswer InvalidPolicies(const LoadedPolicies& policies) {
  return JsonAnswer(
      {{"valid", false}, {"issues", IssuesJson(policies.issues)}});
}

struct PlayedOut {
  Failure failure;
  std::vector<AnsweredAttempt> attempts;
};

absl::StatusOr<PlayedOut> Play(const Question& question,
                               const PolicySet& policies) {
  DeadlineWatch watch(Desk::kMaxTime);
  absl::StatusOr<Failure> failure = ReadFailure(question, policies, watch);
  if (!failure.ok()) return failure.status();
  absl::StatusOr<std::vector<AnsweredAttempt>> attempts =
      SimulateAttempts(question, *failure, policies, watch);
  if (!attempts.ok()) return attempts.status();
  return PlayedOut{*std::move(failure), *std::move(attempts)};
}

// The page's suite must not read files.
Suite PageSuite(const std::string& text) {
  Suite suite = ParseSuite("the suite on this page", text);
  for (const auto& [name, fixture] : suite.spec().fixtures()) {
    if (fixture.files().empty()) continue;
    suite.AddError(absl::StrCat("spec.fixtures[", name, "].files"),
                   "is not read on this page, expected objects");
  }
  return suite;
}

}  // namespace

Desk::Desk(DeskSettings settings) : settings_(std::move(settings)) {
  if (settings_.log.lines.empty()) return;
  log_ = std::make_shared<const LoadedLog>(settings_.log);
}

std::shared_ptr<const LoadedLog> Desk::Log() const {
  const std::lock_guard lock(log_mutex_);
  return log_;
}

DeskAnswer Desk::Answer(std::string_view method, std::string_view page,
                        std::string body) {
  const bool is_post = method == "POST";
  if (page == "log" && is_post) return TakeLog(body);
  using Member = DeskAnswer (Desk::*)(const Question&);
  const std::pair<std::string_view, Member> kQuestions[] = {
      {"try", &Desk::Try},
      {"suite", &Desk::RunSuites},
      {"keep", &Desk::Keep},
      {"compare", &Desk::CompareLog},
      {"record", &Desk::Record}};
  const auto asked = std::ranges::find(
      kQuestions, page, &std::pair<std::string_view, Member>::first);
  if (asked != std::end(kQuestions)) {
    if (!is_post) return ErrorAnswer(405, "expected POST");
    const absl::StatusOr<Question> question = ParseQuestion(body);
    if (!question.ok()) return ErrorAnswerOf(question.status());
    return (this->*asked->second)(*question);
  }
  if (is_post) return ErrorAnswer(404, "there is no such page");
  if (page.empty()) {
    return {200, "text/html; charset=utf-8", std::string(DeskHtml())};
  }
  if (page == "desk.css") {
    return {200, "text/css; charset=utf-8",
            absl::StrCat(std::string(PageStyle()), std::string(DeskStyle()))};
  }
  if (page == "desk.js") {
    return {200, "text/javascript; charset=utf-8", std::string(DeskScript())};
  }
  if (page == "start") return Start();
  return ErrorAnswer(404, "there is no such page");
}

DeskAnswer Desk::Start() const {
  DeskJson json = {{"policies", DeskJson::array()},
                   {"situations", DeskJson::array()},
                   {"suites", settings_.suites}};
  for (const PolicyText& policy : settings_.policies) {
    json["policies"].push_back({{"file", policy.file}, {"text", policy.yaml}});
  }
  for (const std::string_view situation : JsonItems(SituationsJson())) {
    const auto text = [situation](std::string_view member) {
      return JsonStringValue(JsonMemberOf(situation, member));
    };
    json["situations"].push_back(
        {{"group", text("group")},
         {"title", text("title")},
         {"failure", JsonToYaml(JsonMemberOf(situation, "report"))}});
  }
  const auto log = Log();
  if (log != nullptr) {
    json["log"] = {{"name", log->name}, {"records", log->lines.size()}};
  }
  return JsonAnswer(json);
}

DeskAnswer Desk::Try(const Question& question) {
  const LoadedPolicies policies = LoadTexts(question.policies);
  if (policies.set == nullptr) return InvalidPolicies(policies);
  DeskJson json = {{"valid", true}, {"issues", IssuesJson(policies.issues)}};
  if (IsBlankText(question.failure)) return JsonAnswer(json);
  const absl::StatusOr<PlayedOut> played = Play(question, *policies.set);
  if (played.ok()) {
    json["story"] = StoryJson(played->failure, played->attempts, policies);
  } else {
    json["failureError"] = std::string(played.status().message());
  }
  return JsonAnswer(json);
}

DeskAnswer Desk::RunSuites(const Question& question) {
  const std::unique_lock at_work(suites_at_work_, std::try_to_lock);
  if (!at_work) return ErrorAnswer(503, "suites are running, ask again");
  const LoadedPolicies policies = LoadTexts(question.policies);
  if (policies.set == nullptr) return InvalidPolicies(policies);
  const absl::Time deadline = absl::Now() + kMaxTime;
  RuleCoverage coverage;
  DeskJson suites = DeskJson::array();
  const auto run = [&](Suite suite) {
    suites.push_back(SuiteJson(
        RunSuiteUnder(*policies.set, std::move(suite), deadline, coverage)));
  };
  for (const std::string& file : settings_.suites) run(ReadSuite(file));
  if (!IsBlankText(question.suite)) run(PageSuite(question.suite));
  return JsonAnswer({{"valid", true},
                     {"suites", std::move(suites)},
                     {"coverage", CoverageJson(coverage)}});
}

DeskAnswer Desk::Keep(const Question& question) {
  const LoadedPolicies policies = LoadTexts(question.policies);
  if (policies.set == nullptr) return InvalidPolicies(policies);
  const absl::StatusOr<PlayedOut> played = Play(question, *policies.set);
  const absl::StatusOr<std::string> suite =
      played.ok() ? AddCase(question, played->failure, played->attempts)
                  : played.status();
  if (!suite.ok()) return ErrorAnswerOf(suite.status());
  return JsonAnswer({{"valid", true}, {"suite", *suite}});
}

DeskAnswer Desk::CompareLog(const Question& question) {
  const std::unique_lock at_work(log_at_work_, std::try_to_lock);
  if (!at_work) return ErrorAnswer(503, "a log is being compared, ask again");
  const auto log = Log();
  if (log == nullptr) {
    return ErrorAnswer(400, "there is no log, expected one to be dropped in");
  }
  const LoadedPolicies policies = LoadTexts(question.policies);
  if (policies.set == nullptr) return InvalidPolicies(policies);
  DeadlineWatch watch(kMaxTime);
  DeskJson json = ComparedJson(*log, Compare(*log, *policies.set, watch));
  json["valid"] = true;
  return JsonAnswer(json);
}

DeskAnswer Desk::TakeLog(const std::string& body) {
  absl::StatusOr<LoadedLog> log = LogOf("the log that was dropped in", body);
  if (!log.ok()) return ErrorAnswerOf(log.status());
  if (log->lines.empty()) return ErrorAnswer(400, "the log has no lines");
  const std::size_t records = log->lines.size();
  auto loaded = std::make_shared<const LoadedLog>(*std::move(log));
  {
    const std::lock_guard lock(log_mutex_);
    log_.swap(loaded);
  }
  return JsonAnswer({{"records", records}});
}

DeskAnswer Desk::Record(const Question& question) {
  const auto log = Log();
  if (log == nullptr || question.line < 1 ||
      static_cast<std::size_t>(question.line) > log->lines.size()) {
    return ErrorAnswer(404, "the log has no such line");
  }
  const std::string& line =
      log->lines[static_cast<std::size_t>(question.line) - 1].text;
  if (!CheckJsonValue(line).ok()) return JsonAnswer({{"failure", line}});
  // Returns only the request, because the page decides it again.
  std::string asked;
  for (const char* member : {"decidedAt", "request"}) {
    const std::string_view value = JsonMemberOf(line, member);
    if (TypeOfJson(value) == JsonType::kNull) continue;
    absl::StrAppend(&asked, asked.empty() ? "{" : ",", QuoteJson(member), ":",
                    std::string(value));
  }
  if (asked.empty()) return JsonAnswer({{"failure", line}});
  return JsonAnswer({{"failure", JsonToYaml(asked + "}")}});
}

}  // namespace mulligan::cli
