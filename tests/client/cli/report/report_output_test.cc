#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/cli/base/utf8.h"
#include "client/cli/report/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/cli/report/report_log.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;
using ReportOutputTest = ReportTest;

TEST_F(ReportOutputTest, CountsAndNamesBadLines) {
  const Report report =
      RunText(LoggedLine({}) + "torn {\n" + LoggedLine({.workload = "b"}));
  EXPECT_EQ(report.lines, 3);
  EXPECT_EQ(report.bad_lines, 1);
  EXPECT_EQ(report.all.failures, 2);
  EXPECT_THAT(ReportText(report), HasSubstr("1 of 3 lines could not be read"));
}

TEST_F(ReportOutputTest, ReportsALabelNoWorkloadHas) {
  ReportSettings settings;
  settings.entries.team_label = "taem";
  settings.flags = {{"--team-label", "taem"}};
  EXPECT_THAT(ReportText(Run({{}}, settings)),
              HasSubstr("No workload has the label taem"));
  settings.entries.team_label = "team";
  settings.flags = {{"--team-label", "team"}};
  EXPECT_THAT(ReportText(Run({{}}, settings)), Not(HasSubstr("the label")));
}

// Names the first line of each file, so that none hides another.
TEST_F(ReportOutputTest, NamesEachUnreadableFile) {
  LogBlocks logs({folder_.Write("a", "torn\ntorn\n" + LoggedLine({})),
                  folder_.Write("b.zst", "\x28\xb5\x2f\xfd....")});
  ASSERT_OK_AND_ASSIGN(const Report report, MakeReport(logs, {}));
  EXPECT_EQ(report.bad_lines, 3);
  EXPECT_THAT(ReportText(report),
              AllOf(HasSubstr("3 of 4 lines"), HasSubstr("/a:1: "),
                    Not(HasSubstr("/a:2: ")), HasSubstr("/b.zst:1: "),
                    HasSubstr("zstd -dc")));
}

// These are mistakes, and one of them would outweigh all other lines.
TEST_F(ReportOutputTest, RejectsImplausibleTimesAndAmounts) {
  const struct {
    const char* from;
    const char* to;
    const char* says;
  } kWrong[] = {
      {"\"observedAt\":\"2026", "\"observedAt\":\"2126",
       "observedAt: 2126-11-10T02:00:00Z is more than a day after"},
      {"\"observedAt\":\"2026", "\"observedAt\":\"9999", "a day after"},
      {"\"observedAt\":\"2026", "\"observedAt\":\"0001",
       "observedAt: 0001-11-10T02:00:00Z is more than a year before"},
      {"\"decidedAt\":\"2026-11-10T02:00:00Z\",", "", nullptr},
      {"\"nvidia.com/gpu\":\"1\"", "\"nvidia.com/gpu\":\"8Ei\"",
       "request more than 1,000,000 accelerators or cores each"},
      {"\"nvidia.com/gpu\":\"1\"", "\"nvidia.com/gpu\":\"72\"", nullptr},
  };
  for (const auto& [from, to, says] : kWrong) {
    std::string line = LoggedLine({.workload = "b", .failure = "f-2"});
    const std::size_t at = line.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    line.replace(at, std::string_view(from).size(), to);
    const Report report = RunText(LoggedLine({}) + line);
    EXPECT_EQ(report.bad_lines, says == nullptr ? 0 : 1) << to;
    EXPECT_EQ(report.all.failures, says == nullptr ? 2 : 1) << to;
    EXPECT_THAT(ReportText(report), HasSubstr(says == nullptr ? "" : says));
  }
  // Without observedAt, the time of the answer counts, as in the service.
  std::string unobserved = LoggedLine({});
  unobserved = absl::StrReplaceAll(
      unobserved, {{"\"observedAt\":\"2026-11-10T02:00:00Z\",", ""}});
  EXPECT_EQ(RunText(unobserved).first, RunText(LoggedLine({})).first);
  unobserved = absl::StrReplaceAll(
      unobserved, {{"\"decidedAt\":\"2026-11-10T02:00:00Z\",", ""}});
  EXPECT_THAT(ReportText(RunText(unobserved)),
              HasSubstr("report.observedAt: is missing"));
  // Also without the server's time.
  std::string line = LoggedLine({});
  line = absl::StrReplaceAll(line, {{"2026-11", "9999-11"}});
  line.replace(
      line.find("\"decidedAt\":\"9999-11-10T02:00:00Z\","),
      std::string_view("\"decidedAt\":\"9999-11-10T02:00:00Z\",").size(), "");
  EXPECT_THAT(ReportText(RunText(line)),
              HasSubstr("expected a time from 1970 to 2262"));
}

TEST_F(ReportOutputTest, ReportsThatThereAreNoFailures) {
  const Report report = Run({Completed("w-1", 3)});
  EXPECT_EQ(ReportText(report), "No failures in 1 line.\n");
  EXPECT_THAT(ReportHtml(report), HasSubstr("No failures in 1 line."));
  EXPECT_EQ(Json::parse(ReportJson(report))["all"]["failures"], 0);
}

TEST_F(ReportOutputTest, EscapesNames) {
  const Report report = Run({{.workload = "=cmd|' /C calc'!A0",
                              .node = "<script>alert(1)</script>",
                              .team = "=HYPERLINK(\"x\")",
                              .problem = "\x1b[2J</li><script>"}},
                            ByTeam());
  EXPECT_THAT(ReportText(report), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ReportHtml(report),
              AllOf(Not(HasSubstr("<script>")), HasSubstr("&lt;script&gt;")));
  EXPECT_THAT(ReportCsv(report),
              AllOf(HasSubstr("team,\"'=HYPERLINK(\"\"x\"\")\",1,1,2.0000"),
                    Not(HasSubstr(",="))));
}

// Any column of names may hold these.
TEST_F(ReportOutputTest, CsvEscapesControlCharactersAndFormulas) {
  for (const char* name :
       {"\x1b[2Jx", "\x1b]0;title\x07x", "x\x1b[", "a\rb", "a\nb", "\t=1+1",
        " =1+1", "\r@x", "-1", "+1", "\u202e=1", "\ufeff=1", "\u009b31m"}) {
    const std::string csv = ReportCsv(
        Run({{.workload = name, .node = name, .team = name, .problem = name}},
            ByTeam()));
    EXPECT_THAT(csv, HasSubstr("\r\nteam,"));
    const std::vector<std::string> lines = absl::StrSplit(csv, "\r\n");
    for (const std::string& line : lines) {
      EXPECT_EQ(line, Printable(line)) << name;
      const std::vector<std::string> fields = absl::StrSplit(line, ',');
      for (const std::string& field : fields) {
        const std::size_t begin = field.find_first_not_of("\" ");
        EXPECT_FALSE(begin != field.npos &&
                     std::string_view("=+-@").find(field[begin]) !=
                         std::string_view::npos)
            << line;
      }
    }
  }
}

TEST_F(ReportOutputTest, TextFitsOneScreen) {
  std::vector<LoggedAnswer> answers;
  for (int i = 0; i < 400; ++i) {
    answers.push_back({.workload = absl::StrCat("w-", i),
                       .hour = i % 100 + 2,
                       .cause = i % 2 == 0 ? "APP_ERROR" : "NODE_LOST",
                       .node = absl::StrCat("gpu-", i),
                       .team = absl::StrCat("team-", i),
                       .backoff_limit = 6});
  }
  const std::string text = ReportText(Run(answers, ByTeam()));
  EXPECT_LE(std::ranges::count(text, '\n'), 60);
}

// Returns the verdicts of one side, with named workloads.
Json SideOf(const Report& report, const char* side) {
  return Json::parse(ReportJson(report))["rules"][side];
}

TEST_F(ReportOutputTest, ReportsWorkSavedAndLost) {
  const Report report = Run({
      // Its operator gave up; one retry helped, one is still open.
      {.workload = "again", .failure = "s", .backoff_limit = 0},
      {.workload = "saved", .failure = "t", .backoff_limit = 0},
      Completed("saved", 9),
      // Retried in vain.
      {.workload = "vain", .failure = "v", .backoff_limit = 0},
      {.workload = "vain",
       .failure = "w",
       .hour = 6,
       .action = "FAIL",
       .backoff_limit = 0},
      {.workload = "spent",
       .failure = "r",
       .outlook = "CANNOT_RECOVER",
       .backoff_limit = 0},
      // Both give up.
      {.workload = "over",
       .failure = "o",
       .action = "FAIL",
       .backoff_limit = 0},
      // Its operator continued, and it completed.
      {.workload = "lost",
       .failure = "l",
       .domain = "INFRASTRUCTURE",
       .action = "FAIL",
       .backoff_limit = 6},
      Completed("lost", 9),
  });
  const Json recorded = SideOf(report, "recorded");
  EXPECT_EQ(recorded["triedAgain"]["workloads"], 3);
  EXPECT_EQ(recorded["triedAgain"]["examples"].size(), 3);
  EXPECT_EQ(recorded["retriedInVain"]["failures"], 1);
  EXPECT_EQ(recorded["saved"]["workloads"], 1);
  EXPECT_EQ(recorded["saved"]["examples"][0]["workload"], "Job ml/saved");
  EXPECT_EQ(recorded["saved"]["acceleratorHours"], 2);
  EXPECT_EQ(recorded["givenUpThatCompleted"]["examples"][0]["workload"],
            "Job ml/lost");
  EXPECT_EQ(SideOf(report, "native")["triedAgain"]["workloads"], 0);
  EXPECT_EQ(SideOf(report, "native")["saved"]["workloads"], 0);
  EXPECT_THAT(
      ReportText(report),
      AllOf(
          HasSubstr("tried again, its operator gave up    3 workloads"),
          HasSubstr("of these saved: it completed         1 workload, 2.0 h")));
  const std::string csv = ReportCsv(report);
  EXPECT_THAT(csv, HasSubstr("\nsaved,recorded,1,1,2.0000,"));
  EXPECT_THAT(csv, HasSubstr("\n\"saved, recorded\",Job ml/saved,1,1,2.0000,"));
  EXPECT_THAT(csv, HasSubstr("\n\"given up that completed, recorded\",Job "
                             "ml/lost,1,1,"));
  EXPECT_THAT(ReportHtml(report),
              HasSubstr("<summary>saved, as decided: 1</summary>"));
}

TEST_F(ReportOutputTest, LimitsListsOfNames) {
  const int count = static_cast<int>(kMaxNamed) + 5;
  std::vector<LoggedAnswer> answers;
  for (int i = 0; i < count; ++i) {
    answers.push_back({.workload = absl::StrCat("w-", i),
                       .failure = absl::StrCat("f-", i),
                       .backoff_limit = 0});
  }
  const Report report = Run(answers);
  const Json again = SideOf(report, "recorded")["triedAgain"];
  EXPECT_EQ(again["workloads"], count);
  EXPECT_EQ(again["examples"].size(), kMaxNamed);
  const std::string html = ReportHtml(report);
  EXPECT_THAT(html, HasSubstr("and 905 more, in -o json and -o csv"));
  EXPECT_LT(html.size(), 200'000);
}

}  // namespace
}  // namespace mulligan::cli
