#include "client/cli/desk/desk.h"

#include <zlib.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/decision_record.pb.h"
#include "nlohmann/json.hpp"
#include "policy/loader/load.h"
#include "tests/client/cli/desk/ask_desk.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::cli {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

TEST(DeskTest, StartsWithPoliciesAndThirtySituations) {
  Desk desk(Settings());
  const Json start = Json::parse(desk.Answer("GET", "start", "").body);
  EXPECT_EQ(start["policies"][0]["file"], "policy.yaml");
  EXPECT_EQ(start["policies"][0]["text"], EmbeddedPolicy().yaml);
  EXPECT_THAT(start["situations"], SizeIs(Ge(30)));
  EXPECT_FALSE(start.contains("log"));
}

// Each situation of the menu has an explanation and becomes a passing case.
TEST(DeskTest, AnswersAndKeepsEverySituation) {
  Desk desk(Settings());
  const Json start = Json::parse(desk.Answer("GET", "start", "").body);
  for (const Json& situation : start["situations"]) {
    SCOPED_TRACE(situation["title"].get<std::string>());
    Json question = QuestionWith(EmbeddedPolicy().yaml, situation["failure"]);
    const Json answer = AskDesk(desk, "try", question);
    ASSERT_TRUE(answer.contains("story")) << answer;
    EXPECT_THAT(answer["story"]["verdict"].get<std::string>(), Not(IsEmpty()));
    EXPECT_THAT(answer["story"]["headline"].get<std::string>(), Not(IsEmpty()));
    EXPECT_THAT(answer["story"]["html"].get<std::string>(),
                HasSubstr("<article"));
    question["suite"] = AskDesk(desk, "keep", question)["suite"];
    const Json suites = AskDesk(desk, "suite", question)["suites"];
    EXPECT_THAT(suites[0]["issues"], IsEmpty()) << suites;
    ASSERT_THAT(suites[0]["cases"], SizeIs(1)) << suites;
    EXPECT_THAT(suites[0]["cases"][0]["failures"], IsEmpty()) << suites;
  }
}

TEST(DeskTest, ReportsIssuesWithLines) {
  Desk desk(Settings());
  std::string policy = kMine;
  policy.replace(policy.find("FAIL"), 4, "FIAL");
  const Json answer =
      AskDesk(desk, "try", QuestionWith(policy, FailedPodText("a")));
  EXPECT_EQ(answer["valid"], false);
  ASSERT_THAT(answer["issues"], SizeIs(1));
  const Json& issue = answer["issues"][0];
  EXPECT_EQ(issue["file"], "mine.yaml");
  EXPECT_EQ(issue["line"], 11);
  EXPECT_EQ(issue["severity"], "error");
  EXPECT_THAT(issue["message"].get<std::string>(), HasSubstr("FIAL"));
}

TEST(DeskTest, ReportsVerdictPriceAndRule) {
  Desk desk(Settings());
  const Json story =
      AskDesk(desk, "try", QuestionWith(kMine, FailedPodText("a")))["story"];
  EXPECT_THAT(story["verdict"].get<std::string>(), StartsWith("RETRY the pod"));
  EXPECT_EQ(story["class"], "retry");
  EXPECT_EQ(story["price"], "memory 1 of 1 used");
  EXPECT_EQ(story["rule"], (Json{{"policy", "mine"},
                                 {"rule", "grow"},
                                 {"file", "mine.yaml"},
                                 {"line", 8}}));
  EXPECT_THAT(story["choices"], IsEmpty());
}

TEST(DeskTest, RepeatedFailureSpendsTheBudget) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  question["times"] = 2;
  question["apartSeconds"] = 7200;
  const Json story = AskDesk(desk, "try", question)["story"];
  EXPECT_THAT(story["verdict"].get<std::string>(), StartsWith("FAIL"));
  // At 09:00 and, two hours later, at 11:00.
  EXPECT_THAT(story["html"].get<std::string>(),
              HasSubstr("2026-11-03 11:00:00"));
}

TEST(DeskTest, RepeatedFailureGetsAnotherId) {
  Desk desk(Settings());
  const std::string report = R"({"ledger": {}, "report": {"failureId": "f",
    "attempt": 1, "pods": [{"metadata": {"name": "a", "uid": "a"}, "status":
    {"phase": "Failed", "containerStatuses": [{"name": "main", "state":
    {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt":
    "2026-11-03T09:00:00Z"}}}]}}]}})";
  Json question = QuestionWith(kMine, report);
  question["times"] = 2;
  const Json story = AskDesk(desk, "try", question)["story"];
  EXPECT_THAT(story["verdict"].get<std::string>(), StartsWith("FAIL")) << story;
}

TEST(DeskTest, ExplainsTheWorstOrChosenWorkload) {
  Desk desk(Settings());
  std::string healthy = FailedPodText("well");
  healthy.replace(healthy.find("Failed"), 6, "Running");
  healthy = healthy.substr(0, healthy.find("  containerStatuses"));
  const auto item = [](std::string pod) {
    return YamlToJson(pod).value().front();
  };
  const std::string list =
      absl::StrCat(R"({"kind": "List", "apiVersion": "v1", "items": [)",
                   item(healthy), ",", item(FailedPodText("bad")), "]}");
  Json question = QuestionWith(kMine, list);
  Json story = AskDesk(desk, "try", question)["story"];
  EXPECT_EQ(story["workload"], "Job ml/bad");
  ASSERT_THAT(story["choices"], SizeIs(2));
  EXPECT_EQ(story["choices"][1]["label"], "Job ml/well");
  question["workload"] = "Job ml/well";
  story = AskDesk(desk, "try", question)["story"];
  EXPECT_EQ(story["workload"], "Job ml/well");
  EXPECT_EQ(story["class"], "");
}

TEST(DeskTest, EscapesHostileNames) {
  Desk desk(Settings());
  const std::string evil = "<script>alert(1)</script>";
  const Json answer = AskDesk(
      desk, "try", QuestionWith(kMine, FailedPodText("'" + evil + "'")));
  const std::string html = answer["story"]["html"];
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(DeskTest, ReportsUnreadableFailures) {
  Desk desk(Settings());
  const Json answer =
      AskDesk(desk, "try", QuestionWith(kMine, "NAME  READY\n"));
  EXPECT_EQ(answer["valid"], true);
  EXPECT_THAT(answer["failureError"].get<std::string>(),
              StartsWith("the failure: "));
}

TEST(DeskTest, SuitesOfThePageReadNoFiles) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, "");
  question["suite"] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicyTest
metadata: {name: x}
spec:
  fixtures: {f: {files: [/etc/passwd]}}
  cases: [{name: c, steps: [{fixture: f, expect: {action: FAIL}}]}]
)";
  const Json run = AskDesk(desk, "suite", question);
  ASSERT_THAT(run["suites"][0]["issues"], SizeIs(1));
  EXPECT_EQ(run["suites"][0]["issues"][0]["line"], 5);
  EXPECT_THAT(run.dump(), Not(HasSubstr("root:")));
}

TEST(DeskTest, SuitesInFilesUseThePoliciesOfThePage) {
  const mulligan::testing::TempDir folder;
  Desk first(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  const std::string suite = AskDesk(first, "keep", question)["suite"];
  DeskSettings settings = Settings();
  settings.suites = {folder.Write("mine_test.yaml", suite)};
  Desk desk(std::move(settings));
  Json run = AskDesk(desk, "suite", QuestionWith(kMine, ""));
  EXPECT_THAT(run["suites"][0]["cases"][0]["failures"], IsEmpty()) << run;
  // Without the rule, the suite names what no policy has.
  run = AskDesk(desk, "suite", QuestionWith(kFails, ""));
  EXPECT_THAT(run["suites"][0]["issues"], Not(IsEmpty())) << run;
  folder.Write("mine_test.yaml", "nonsense");
  run = AskDesk(desk, "suite", QuestionWith(kMine, ""));
  EXPECT_THAT(run["suites"][0]["issues"], Not(IsEmpty())) << run;
}

// Returns `records` lines of decisions and one torn line.
std::string RecordLines(int records) {
  std::string log;
  for (int i = 0; i < records; ++i) {
    v1::DecisionRecord record;
    v1::FailureReport& report = *record.mutable_request()->mutable_report();
    auto& pod = *report.add_pods();
    pod.mutable_metadata()->set_name(absl::StrCat("p", i));
    pod.mutable_metadata()->set_uid(absl::StrCat("u", i));
    pod.mutable_status()->set_phase("Failed");
    record.mutable_response()->mutable_decision()->set_action(
        v1::Decision::RETRY);
    record.mutable_decided_at()->set_seconds(1'793'000'000 + i);
    log += PrintCompactJson(record).value() + "\n";
  }
  return log + "torn\n";
}

TEST(DeskTest, ComparesADroppedLogAndShowsItsLines) {
  Desk desk(Settings());
  EXPECT_EQ(
      desk.Answer("POST", "compare", QuestionWith(kFails, "").dump()).status,
      400);
  EXPECT_EQ(Json::parse(desk.Answer("POST", "log", RecordLines(3)).body),
            (Json{{"records", 4}}));
  const Json compared = AskDesk(desk, "compare", QuestionWith(kFails, ""));
  EXPECT_EQ(compared["decisions"], 3);
  EXPECT_EQ(compared["changed"], 3);
  EXPECT_EQ(compared["left"], 0);
  EXPECT_EQ(compared["cut"], false);
  ASSERT_THAT(compared["examples"], SizeIs(3));
  EXPECT_THAT(compared["examples"][1]["change"].get<std::string>(),
              StartsWith("RETRY to "));
  EXPECT_THAT(compared["html"].get<std::string>(),
              HasSubstr("3 of 3 decisions would change"));
  const Json record =
      AskDesk(desk, "record", {{"line", compared["examples"][1]["line"]}});
  EXPECT_THAT(record["failure"].get<std::string>(), HasSubstr("name: p1\n"));
  const Json again =
      AskDesk(desk, "try", QuestionWith(kFails, record["failure"]))["story"];
  EXPECT_THAT(again["html"].get<std::string>(), HasSubstr("p1"));
  EXPECT_EQ(desk.Answer("POST", "record", R"({"line":9})").status, 404);
}

TEST(DeskTest, LoadsANamedLogAtTheStart) {
  const mulligan::testing::TempDir folder;
  folder.Write("a.jsonl", RecordLines(2));
  folder.Write("b.jsonl", RecordLines(1));
  absl::StatusOr<LoadedLog> log = ReadLogs({folder.path()});
  ASSERT_TRUE(log.ok()) << log.status();
  DeskSettings settings = Settings();
  settings.log = *std::move(log);
  Desk desk(std::move(settings));
  const Json start = Json::parse(desk.Answer("GET", "start", "").body);
  EXPECT_EQ(start["log"]["records"], 5);
  const Json compared = AskDesk(desk, "compare", QuestionWith(kFails, ""));
  EXPECT_EQ(compared["decisions"], 3);
  // Lines are counted across both files.
  EXPECT_EQ(compared["examples"][2]["line"], 4);
  EXPECT_FALSE(ReadLogs({folder.path() / "none"}).ok());
}

// Of several members, named or dropped in, whole and cut off.
TEST(DeskTest, ReadsATruncatedCompressedLog) {
  const mulligan::testing::TempDir folder;
  const std::string path = folder.path() / "a.log";
  for (const char* mode : {"wb", "ab"}) {
    const gzFile file = gzopen(path.c_str(), mode);
    gzputs(file, RecordLines(1).c_str());
    gzclose(file);
  }
  std::ostringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  for (const std::size_t cut : {std::size_t{0}, std::size_t{6}}) {
    folder.Write("a.log", bytes.substr(0, bytes.size() - cut));
    ASSERT_OK_AND_ASSIGN(LoadedLog log, ReadLogs({path}));
    DeskSettings settings = Settings();
    settings.log = std::move(log);
    Desk named(std::move(settings));
    Desk dropped(Settings());
    EXPECT_EQ(dropped.Answer("POST", "log", bytes.substr(0, bytes.size() - cut))
                  .status,
              200);
    for (Desk* const desk : {&named, &dropped}) {
      const Json compared = AskDesk(*desk, "compare", QuestionWith(kFails, ""));
      EXPECT_EQ(compared["decisions"], 2);
      EXPECT_EQ(
          compared.dump().find("the gzip is cut off") != std::string::npos,
          cut > 0)
          << compared["firstUnreadable"];
    }
  }
}

TEST(DeskTest, ReadsTheFirstRecordsOfALongLog) {
  Desk desk(Settings());
  std::string log;
  for (std::size_t i = 0; i <= LoadedLog::kMaxRecords; ++i) log += "x\n";
  ASSERT_OK_AND_ASSIGN(const LoadedLog shelved, LogOf("log", log));
  EXPECT_EQ(shelved.lines.size(), LoadedLog::kMaxRecords);
  EXPECT_TRUE(shelved.is_cut);
  EXPECT_EQ(desk.Answer("POST", "log", "\n \n").status, 400);
}

class EndedWatch : public Watch {
 public:
  absl::Status Check() override { return absl::DeadlineExceededError(""); }
  absl::Duration Spent() override { return absl::ZeroDuration(); }
};

TEST(DeskTest, CountsRecordsSkippedForTime) {
  Desk desk(Settings());
  Issues issues;
  const auto policies = LoadPolicies({{"mine.yaml", kFails}}, issues);
  EndedWatch watch;
  const Compared compared =
      Compare(*LogOf("log", RecordLines(3)), *policies, watch);
  EXPECT_EQ(compared.left, 4U);
  EXPECT_EQ(compared.result.all.decisions, 0);
}

TEST(DeskTest, RejectsOtherPages) {
  Desk desk(Settings());
  const std::vector<std::pair<std::string, std::string>> kNone = {
      {"GET", "no"}, {"POST", "no"}, {"GET", "../desk.js"}, {"POST", ""}};
  for (const auto& [method, page] : kNone) {
    EXPECT_EQ(desk.Answer(method, page, "{}").status, 404) << page;
  }
  EXPECT_EQ(desk.Answer("GET", "try", "").status, 405);
}

TEST(QuestionTest, RejectsBadQuestions) {
  const std::pair<std::string, std::string> kWrong[] = {
      {"[]", "the body is not a JSON object"},
      {R"({"times":0})", "times: 0, expected a number from 1 to 20"},
      {R"({"times":"2"})", "times: \"2\", expected a number from 1 to 20"},
      {R"({"apartSeconds":99999999})", "apartSeconds: 99999999, expected"},
      {R"({"failure":1})", "failure: number, expected a string"},
      {R"({"policies":{}})", "policies: object, expected a list"},
      {R"({"policies":[{"file":"../a.yaml"}]})",
       "policies.file: \"../a.yaml\""},
      {R"({"policies":[{"file":"a"},{"file":"a"}]})", "each once"},
  };
  for (const auto& [json, message] : kWrong) {
    const auto question = ParseQuestion(json);
    ASSERT_FALSE(question.ok()) << json;
    EXPECT_THAT(std::string(question.status().message()), HasSubstr(message));
  }
  const std::string big(300 << 10, '#');
  EXPECT_THAT(
      std::string(
          ParseQuestion(
              Json{{"policies", {{{"file", "a"}, {"text", big}}}}}.dump())
              .status()
              .message()),
      HasSubstr("too long"));
}

}  // namespace
}  // namespace mulligan::cli
