#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/report/gathered.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"
#include "tests/client/cli/report/report_log.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::HasSubstr;

class ReportPartsTest : public ReportTest {
 protected:
  std::string File(const std::string& text) {
    return folder_.Write(absl::StrCat("part-", ++files_), text);
  }

  std::string Entries(const std::string& log,
                      const ReportSettings& settings = {}) {
    LogBlocks blocks({File(log)});
    Gathered gathered;
    Gather(blocks, settings, gathered);
    std::ostringstream out;
    EXPECT_OK(WriteEntries(gathered, out));
    return out.str();
  }

  // Gathers parts, each the text of a file.
  absl::Status GatherAll(const std::vector<std::string>& parts,
                         Gathered& gathered, bool whole = true) {
    std::vector<std::string> files;
    for (const std::string& part : parts) files.push_back(File(part));
    LogBlocks blocks(files);
    const absl::Status status = GatherParts(blocks, {}, whole, gathered);
    return status.ok() ? AddUp(gathered, 1) : status;
  }

  std::string Sums(const std::vector<std::string>& parts) {
    Gathered gathered;
    EXPECT_OK(GatherAll(parts, gathered, false));
    std::ostringstream out;
    WriteSums(gathered, out);
    return out.str();
  }

  Report Merged(const std::vector<std::string>& parts) {
    Gathered gathered;
    EXPECT_OK(GatherAll(parts, gathered));
    return BuildReport(gathered);
  }

 private:
  int files_ = 0;
};

// A month with several ends, domains, nodes, an incident and repeated failures.
std::vector<std::string> ManyLines() {
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    lines.push_back(
        LoggedLine({.workload = absl::StrCat("w-", i % 90),
                    .failure = absl::StrCat("f-", i % 350),
                    .hour = i % 400 + 2,
                    .cause = i % 3 == 0 ? "NODE_LOST" : "APP_ERROR",
                    .domain = i % 3 == 0 ? "INFRASTRUCTURE" : "APPLICATION",
                    .action = i % 11 == 0 ? "FAIL" : "RETRY",
                    .duplicate = i % 13 == 0,
                    .exhausted = i % 11 == 0,
                    .node = absl::StrCat("gpu-", i % 5),
                    .team = absl::StrCat("team-", i % 7),
                    .problem = absl::StrCat("problem \xc3\xa4 ", i),
                    .backoff_limit = i % 4}));
    if (i % 17 == 0) {
      lines.push_back(LoggedLine(Completed(absl::StrCat("w-", i % 90), 480)));
    }
  }
  for (int i = 0; i < 8; ++i) {
    lines.push_back(LoggedLine({.workload = absl::StrCat("incident-", i),
                                .hour = 300,
                                .cause = "NODE_LOST",
                                .domain = "INFRASTRUCTURE"}));
  }
  return lines;
}

std::string Every(const std::vector<std::string>& lines, std::size_t of,
                  std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < lines.size(); i += of) text += lines[i];
  return text;
}

TEST_F(ReportPartsTest, PartsAddUpToTheWhole) {
  const std::vector<std::string> lines = ManyLines();
  const Report whole = RunText(Every(lines, 1, 0), ByTeam());
  ASSERT_FALSE(whole.incidents.empty());
  ASSERT_GT(whole.repeated, 0);
  ASSERT_GT(whole.done.in_vain.failures, 0);

  // Splits logs by line, as replicas do.
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < 3; ++i) {
    entries.push_back(Entries(Every(lines, 3, i), ByTeam()));
  }
  EXPECT_EQ(ReportJson(Merged(entries)), ReportJson(whole));

  // Splits entries by workload, as engines do; others go anywhere.
  std::vector<std::string> shuffled(2);
  for (const std::string& part : entries) {
    std::istringstream in(part);
    for (std::string line; std::getline(in, line);) {
      const auto key = line.find("\"key\":");
      const std::size_t to =
          key == std::string::npos
              ? 0
              : static_cast<std::size_t>(std::stoull(line.substr(key + 6)) % 2);
      shuffled[to] += line + "\n";
    }
  }
  const Report merged = Merged({Sums({shuffled[1]}), Sums({shuffled[0]})});
  EXPECT_EQ(ReportJson(merged), ReportJson(whole));
  EXPECT_EQ(ReportHtml(merged), ReportHtml(whole));
  EXPECT_EQ(ReportText(merged), ReportText(whole));
  EXPECT_EQ(ReportCsv(merged), ReportCsv(whole));
}

TEST_F(ReportPartsTest, EntriesDoNotDependOnThreads) {
  const std::string log = Every(ManyLines(), 1, 0);
  EXPECT_EQ(Entries(log, With(3)), Entries(log, With(1)));
}

TEST_F(ReportPartsTest, RejectsIncompleteParts) {
  const std::string whole = Entries(Every(ManyLines(), 4, 0));
  const std::string other = Entries(Every(ManyLines(), 4, 1));
  const auto lines = static_cast<int>(std::ranges::count(whole, '\n'));
  ASSERT_GT(lines, 50);
  const std::size_t rest = whole.rfind("{\"reportPart\"");
  const std::size_t line = whole.find('\n') + 1;
  const struct {
    const char* cut;
    std::string text;
    const char* says;
  } kCuts[] = {
      {"everything", "", ": is empty; expected what mulligan report"},
      {"within a line", whole.substr(0, line + 30),
       ":2: is not a line of mulligan report -o entries or sums: "},
      {"within the last line", whole.substr(0, rest + 40),
       "; the file ends within this line: make the part again"},
      {"after a line", whole.substr(0, line),
       ": lacks its end, or has entries twice; expected "},
      {"the last line", whole.substr(0, rest),
       ": lacks its end, or has entries twice; expected "},
      {"the first line", whole.substr(line), ": lacks entries; expected "},
      {"nothing, but a line is doubled", whole.substr(0, line) + whole,
       ": lacks its end, or has entries twice; expected "},
      {"the first line, and another is doubled",
       whole.substr(line, whole.find('\n', line) + 1 - line) +
           whole.substr(line),
       ": has other entries than its end states; expected "},
  };
  for (const auto& [cut, text, says] : kCuts) {
    Gathered gathered;
    EXPECT_THAT(
        GatherAll({other, text}, gathered),
        testing::StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)))
        << cut;
  }
  // Sums record what they lack; another part may have it.
  for (const std::string& text :
       {std::string(), whole.substr(0, rest), whole.substr(line)}) {
    Gathered gathered;
    const absl::Status merged = GatherAll(
        {Sums({other, text}), Sums({whole.substr(0, line)})}, gathered);
    EXPECT_EQ(merged.ok(), text == whole.substr(line)) << merged;
  }
}

TEST_F(ReportPartsTest, RejectsPartsWithOtherPolicies) {
  Issues issues;
  const auto strict = LoadPolicies(
      {{"strict.yaml",
        "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
        "metadata: {name: strict}\nspec: {default: {action: FAIL}}\n"}},
      issues);
  ASSERT_NE(strict, nullptr);
  const std::string compared = Entries(LoggedLine({}), ComparedWith(*strict));
  EXPECT_TRUE(Merged({compared}).compared);
  // Entries or sums alone do not record the policies compared with.
  const std::size_t rest = compared.find('\n') + 1;
  EXPECT_TRUE(Merged({Sums({compared.substr(0, rest)}), compared.substr(rest)})
                  .compared);
  Gathered gathered;
  EXPECT_THAT(GatherAll({compared, Entries(LoggedLine({}))}, gathered),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("with no --compare, and")));
}

TEST_F(ReportPartsTest, RejectsPartsWithOtherFlags) {
  ReportSettings week;
  week.flags = {{"--since", "7d"}, {"--team-label", "team"}};
  ReportSettings month = week;
  month.flags["--since"] = "30d";
  ReportSettings by_namespace = week;
  by_namespace.flags.erase("--team-label");
  const std::string part = Entries(LoggedLine({}), week);
  EXPECT_EQ(Merged({part, Entries("", week)}).all.failures, 1);
  const std::pair<ReportSettings, const char*> others[] = {
      {month,
       R"(made with --since "30d", and a part before it with --since "7d")"},
      {by_namespace,
       R"(with no --team-label, and a part before it with --team)"},
  };
  for (const auto& [settings, says] : others) {
    Gathered gathered;
    EXPECT_THAT(
        GatherAll({part, Sums({Entries("", settings)})}, gathered),
        testing::StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)));
  }
}

TEST_F(ReportPartsTest, RejectsRepeatedSums) {
  const std::string sums = Sums({Entries(LoggedLine({}))});
  const std::string empty = Sums({Entries("")});
  EXPECT_EQ(Merged({sums, empty, empty}).all.failures, 1);
  Gathered gathered;
  EXPECT_THAT(GatherAll({sums, empty, sums}, gathered),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("is the same part as one before")));
}

}  // namespace
}  // namespace mulligan::cli
