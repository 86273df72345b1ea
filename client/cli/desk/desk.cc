#include "client/cli/desk/desk.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/base/json_text.h"
#include "client/cli/desk/desk_json.h"
#include "client/cli/desk/failure.h"
#include "client/cli/desk/kept_case.h"
#include "client/cli/desk/pages.h"
#include "client/cli/print/html.h"
#include "policy/base/pattern_allowance.h"
#include "policy/limits.h"
#include "policy/loader/load.h"

namespace mulligan::cli {
namespace {

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
  if (!settings_.log.lines.empty()) log_.Put(settings_.log);
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
  const auto log = log_.Get();
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
  const auto log = log_.Get();
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
  log_.Put(*std::move(log));
  return JsonAnswer({{"records", records}});
}

DeskAnswer Desk::Record(const Question& question) {
  const auto log = log_.Get();
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
