// `mulligan replay` as scripts use it.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr char kStrict[] =
    "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
    "metadata: {name: strict}\nspec:\n  default: {action: FAIL}\n";

class ReplayCommandTest : public ::testing::Test {
 protected:
  const std::string log_ = WriteTestFile("log.jsonl", DecisionLog(9));
  const std::string strict_ = WriteTestFile("strict.yaml", kStrict);
};

TEST_F(ReplayCommandTest, PrintsWhatWouldChange) {
  const CommandResult same = RunMulligan({"replay", log_});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("9 decisions replayed"));
  EXPECT_THAT(same.out, HasSubstr("0 would change (0 %)"));
  EXPECT_EQ(same.err, "") << "no progress without a terminal";
  const CommandResult other =
      RunMulligan({"replay", log_, "--policy", strict_});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.out, AllOf(HasSubstr("9 would change (100.0 %)"),
                               HasSubstr("RETRY to FAIL 9")));
}

TEST_F(ReplayCommandTest, RowsHaveBothDecisions) {
  const std::string line = DecisionLog(1);
  const CommandResult rows = RunMulligan(
      {"replay", "-", "--placed", "--policy", strict_, "-o", "rows",
       "--threads=1"},
      absl::StrCat("a.jsonl\t7\t", line, "no place\n", "b\t8\t{\n"));
  EXPECT_EQ(rows.code, 0) << rows.err;
  const std::vector<std::string> lines =
      absl::StrSplit(rows.out, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 3U) << rows.out;
  const Json row = Json::parse(lines[0]);
  EXPECT_EQ(row["file"], "a.jsonl");
  EXPECT_EQ(row["line"], 7);
  EXPECT_EQ(row["workload"], "Pod ml/train-0");
  EXPECT_EQ(row["cause"], "CONTAINER_OOM");
  EXPECT_EQ(row["action"], "RETRY");
  EXPECT_EQ(row["budget"], "memory");
  EXPECT_EQ(row["replayedAction"], "FAIL");
  EXPECT_EQ(row["change"], "RETRY to FAIL");
  EXPECT_EQ(Json::parse(lines[1])["error"],
            "expected FILE<tab>LINE<tab>RECORD");
  EXPECT_EQ(Json::parse(lines[2])["file"], "b");
  EXPECT_EQ(Json::parse(lines[2])["line"], 8);
  const std::string same = RunMulligan({"replay", log_, "-o", "rows"}).out;
  EXPECT_EQ(Json::parse(same.substr(0, same.find('\n')))["change"], "");
}

TEST_F(ReplayCommandTest, ShardsAddUp) {
  const CommandResult whole =
      RunMulligan({"replay", log_, "--policy", strict_, "-o", "json"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  std::vector<std::string> merge = {"replay", "--merge", "-o", "json"};
  for (const char* shard : {"0/2", "1/2"}) {
    const CommandResult part = RunMulligan(
        {"replay", log_, "--policy", strict_, "-o", "json", "--shard", shard});
    ASSERT_EQ(part.code, 0) << part.err;
    merge.push_back(WriteTestFile(std::string(shard, 1) + ".json", part.out));
  }
  const CommandResult sum = RunMulligan(merge);
  EXPECT_EQ(sum.code, 0) << sum.err;
  EXPECT_EQ(sum.out, whole.out);
  EXPECT_EQ(Json::parse(sum.out)["all"]["changed"], 9);
  // A part that is added twice or missing would change the total.
  merge.push_back(merge.back());
  const CommandResult twice = RunMulligan(merge);
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err,
              HasSubstr("part 1/2 of " + log_ + " was added before"));
  merge.resize(merge.size() - 2);
  const CommandResult half = RunMulligan(merge);
  EXPECT_EQ(half.code, 0);
  EXPECT_EQ(half.err,
            "warning: 1 of 2 parts of " + log_ + " are missing: 1/2\n");
}

// Results are read from files and may hold anything.
TEST_F(ReplayCommandTest, HostilePartsAreCheap) {
  Json hostile = Json::parse(RunMulligan({"replay", log_, "-o", "json"}).out);
  hostile["parts"] = {{"a", Json::array()}, {"b", {"0/900000000000"}}};
  const CommandResult result = RunMulligan(
      {"replay", "--merge", WriteTestFile("hostile.json", hostile.dump())});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("899999999999 of 900000000000 parts of b"));
}

TEST_F(ReplayCommandTest, RejectsALogNamedTwice) {
  const CommandResult result = RunMulligan({"replay", log_, log_});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(log_ + ": is named twice"));
}

TEST_F(ReplayCommandTest, ReadsStandardInput) {
  const CommandResult result =
      RunMulligan({"replay", "-"}, DecisionLog(2) + "torn");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("2 decisions replayed"),
                    HasSubstr("1 line could not be read:"), HasSubstr("-:3")));
}

TEST_F(ReplayCommandTest, WritesAPage) {
  const CommandResult result =
      RunMulligan({"replay", log_, "--policy", strict_, "-o", "html"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("<!DOCTYPE html>"),
                                HasSubstr("9 of 9 decisions would change")));
}

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  std::string message;
  int code = 2;
};

class ReplayMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(ReplayMistakeTest, IsReported) {
  std::vector<std::string> arguments = {"replay"};
  for (const std::string& argument : GetParam().arguments) {
    arguments.push_back(
        argument == "BAD"
            ? WriteTestFile("bad.yaml", "kind: RetryPolicy\n").string()
            : argument);
  }
  const CommandResult result = RunMulligan(arguments);
  EXPECT_EQ(result.code, GetParam().code);
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, ReplayMistakeTest,
    ::testing::Values(
        Mistake{"NoLog", {}, "LOG is required"},
        Mistake{"MissingLog", {"/missing"}, "/missing: No such file"},
        Mistake{"Shard",
                {"-", "--shard", "2/2"},
                "--shard: \"2/2\" is not valid; expected I/N"},
        Mistake{"ShardWithoutCount", {"-", "--shard", "1"}, "expected I/N"},
        Mistake{"BadPolicy", {"-", "--policy", "BAD"}, "bad.yaml", 3},
        Mistake{"NoResult",
                {"--merge", "/dev/null"},
                "is not a result of mulligan replay -o json"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan::testing
