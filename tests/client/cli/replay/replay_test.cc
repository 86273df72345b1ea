#include "client/cli/replay/replay.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::StatusIs;
using testing::TempDir;

constexpr char kFailsAll[] = R"(
apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: strict}
spec:
  default: {action: FAIL}
)";

std::unique_ptr<const PolicySet> Policies(const char* yaml = nullptr) {
  Issues issues;
  auto policies = LoadPolicies(
      {yaml == nullptr ? EmbeddedPolicy() : PolicyText{"strict.yaml", yaml}},
      issues);
  EXPECT_NE(policies, nullptr);
  return policies;
}

// Returns the embedded policies' decision about a pod that ran out of memory.
v1::DecisionRecord Record(int number) {
  v1::DecisionRecord record;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        decided_at { seconds: 1700000100 }
        replica: "r-1"
        request {
          report {
            observed_at { seconds: 1700000100 }
            workload { kind: "Job" namespace: "ml" name: "train" uid: "u-1" }
            pods {
              metadata { name: "train-0" namespace: "ml" uid: "p-1" }
              status {
                phase: "Failed"
                container_statuses {
                  name: "main"
                  state {
                    terminated {
                      exit_code: 137
                      reason: "OOMKilled"
                      finished_at { seconds: 1700000000 }
                    }
                  }
                }
              }
            }
          }
        }
      )pb",
      &record));
  v1::FailureReport& report = *record.mutable_request()->mutable_report();
  report.mutable_pods(0)->mutable_metadata()->set_uid(
      absl::StrCat("p-", number));
  // On one of three days.
  for (auto* time :
       {record.mutable_decided_at(), report.mutable_observed_at()}) {
    time->set_seconds(time->seconds() + 86400 * (number % 3));
  }
  EXPECT_OK(Decide(record.request(), *Policies(), record.decided_at(),
                   *record.mutable_response()));
  return record;
}

std::string Line(const v1::DecisionRecord& record) {
  std::string line;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(record, &line).ok());
  return line + "\n";
}

class ReplayTest : public ::testing::Test {
 protected:
  ReplayResult Run(const std::string& log, const PolicySet& policies,
                   unsigned threads = 1, const ReadSettings& settings = {}) {
    const std::string path = folder_.Write("log.jsonl", log);
    LogBlocks logs({path});
    ReplayResult result = Replay(logs, policies, threads, settings);
    return result;
  }

  TempDir folder_;
};

TEST_F(ReplayTest, SamePoliciesDecideTheSame) {
  const ReplayResult result =
      Run(Line(Record(0)) + Line(Record(1)), *Policies());
  EXPECT_EQ(result.lines, 2);
  EXPECT_EQ(result.bad_lines, 0);
  EXPECT_EQ(result.all.decisions, 2);
  EXPECT_EQ(result.all.changed(), 0);
  EXPECT_THAT(result.examples.all(), IsEmpty());
  EXPECT_EQ(result.budgets.at("memory").recorded, 2);
  EXPECT_EQ(result.budgets.at("memory").replayed, 2);
}

TEST_F(ReplayTest, CountsChangesByCausePolicyAndKind) {
  const ReplayResult result =
      Run(Line(Record(0)) + Line(Record(1)), *Policies(kFailsAll));
  EXPECT_EQ(result.all.changed(), 2);
  EXPECT_THAT(result.all.changes, ElementsAre(Pair("RETRY to FAIL", 2)));
  EXPECT_EQ(result.by_cause.all().at("CONTAINER_OOM").changed(), 2);
  EXPECT_EQ(result.by_policy.all().at("default").changed(), 2);
  EXPECT_EQ(result.by_kind.all().at("Job").changed(), 2);
  EXPECT_EQ(result.by_day.all().size(), 2);
  EXPECT_EQ(result.differences.at("action"), 2);
  EXPECT_EQ(result.budgets.at("memory").recorded, 2);
  EXPECT_EQ(result.budgets.at("memory").replayed, 0);
  ASSERT_EQ(result.examples.all().size(), 2);
  const auto& [place, example] = *result.examples.all().begin();
  EXPECT_EQ(place.line, 1);
  EXPECT_EQ(example.workload, "Job ml/train");
  EXPECT_THAT(example.recorded, HasSubstr("retry"));
  EXPECT_THAT(example.replayed, HasSubstr("fail"));
}

TEST_F(ReplayTest, CountsAndNamesBadLines) {
  const std::string line = Line(Record(0));
  const ReplayResult result =
      Run(absl::StrCat("no json\n", line, line.substr(0, 100), "\n\n{}\n[]\n",
                       line, "{\"request\":3}\n", line.substr(0, 200)),
          *Policies());
  EXPECT_EQ(result.all.decisions, 2);
  EXPECT_EQ(result.lines, 8);
  EXPECT_EQ(result.bad_lines, 6);
  std::vector<std::size_t> lines;
  for (const auto& [place, why] : result.bad.all()) {
    lines.push_back(place.line);
    EXPECT_FALSE(why.empty());
  }
  EXPECT_THAT(lines, ElementsAre(1, 3, 5, 6, 8, 9));
}

TEST_F(ReplayTest, CountsAnOverlongLine) {
  const ReplayResult result =
      Run(std::string(66 << 20, ' ') + "\n" + Line(Record(0)), *Policies());
  EXPECT_EQ(result.lines, 2);
  EXPECT_EQ(result.bad_lines, 1);
}

TEST_F(ReplayTest, MissingPolicyHasNoAnswer) {
  v1::DecisionRecord record = Record(0);
  record.mutable_request()->set_policy("gone");
  const ReplayResult result = Run(Line(record), *Policies());
  EXPECT_EQ(result.no_answer, 1);
  EXPECT_THAT(result.all.changes, ElementsAre(Pair("no answer", 1)));
  EXPECT_EQ(result.budgets.at("memory").replayed, 0);
}

TEST_F(ReplayTest, CountsRedactedRequests) {
  v1::DecisionRecord record = Record(0);
  record.add_redacted("request.report.pods.metadata");
  EXPECT_EQ(Run(Line(record), *Policies()).redacted, 1);
}

TEST_F(ReplayTest, IgnoresFieldsOfNewerServers) {
  const std::string line = absl::StrReplaceAll(
      Line(Record(0)), {{R"("replica":)", R"("novelty":[1],"replica":)"}});
  const ReplayResult result = Run(line, *Policies());
  EXPECT_EQ(result.bad_lines, 0);
  EXPECT_EQ(result.all.decisions, 1);
}

TEST_F(ReplayTest, ThreadsAndShardsGiveTheSameResult) {
  std::string log;
  for (int i = 0; i < 400; ++i) log += Line(Record(i));
  log += "torn";
  const auto policies = Policies(kFailsAll);
  const std::string expected = ReplayJson(Run(log, *policies));
  EXPECT_EQ(ReplayJson(Run(log, *policies, 4)), expected);
  ReplayResult sum;
  for (std::size_t i = 0; i < 3; ++i) {
    const ReplayResult shard = Run(log, *policies, 2, {{i, 3}});
    EXPECT_GT(shard.lines, 100);
    // Round-trips through a file's format.
    ASSERT_OK_AND_ASSIGN(const ReplayResult read,
                         ParseReplayJson(ReplayJson(shard)));
    sum.Merge(read);
  }
  EXPECT_EQ(ReplayJson(sum), expected);
}

TEST(ReplayResultTest, LimitsNames) {
  Tallies tallies;
  for (int i = 0; i < 5000; ++i) ++tallies.At(absl::StrCat(i)).decisions;
  EXPECT_EQ(tallies.all().size(), Tallies::kMaxNames + 1);
  EXPECT_EQ(tallies.all().at(Tallies::kOtherNames).decisions,
            5000 - static_cast<int>(Tallies::kMaxNames));
}

TEST(ReplayJsonTest, RejectsOtherJson) {
  for (const std::string text : {"", "[]", "{}", R"({"replayVersion":1})",
                                 R"({"replayVersion":1,"revision":3})"}) {
    EXPECT_THAT(ParseReplayJson(text).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("is not a result of mulligan replay")))
        << text;
  }
  EXPECT_THAT(
      ParseReplayJson(R"({"replayVersion":2})").status(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected 1")));
}

TEST(ReplayTextTest, FormatsNumbers) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
  EXPECT_EQ(Percent(0, 5), "0 %");
  EXPECT_EQ(Percent(1, 3), "33.3 %");
  EXPECT_EQ(Percent(1, 100000), "<0.1 %");
  EXPECT_EQ(Percent(0, 0), "0 %");
}

// Returns a result with markup and terminal escapes in its texts.
ReplayResult Hostile() {
  ReplayResult result;
  result.revision = "r-1";
  v1::DecisionRecord record = Record(0);
  record.mutable_request()->mutable_report()->mutable_workload()->set_name(
      "<script>alert(1)</script>\x1b[2J");
  record.mutable_response()->mutable_policy()->set_name("<b>bold</b>");
  const v1::DecideResponse other;
  result.Add(record, {"log", 1}, &other);
  result.AddBad({"log", 2}, "<i>\x1b[31m");
  return result;
}

TEST(ReplayTextTest, SaysEverythingOnce) {
  const std::string text = ReplayText(Hostile(), "policies/");
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("1 decisions replayed under policies/ (revision r-1)"),
            HasSubstr("1 would change (100.0 %)"), HasSubstr("CONTAINER_OOM"),
            HasSubstr("1 line could not be read:"), HasSubstr("log:2"),
            Not(HasSubstr("\x1b"))));
}

TEST(ReplayHtmlTest, EscapesInput) {
  const std::string html = ReplayHtml(Hostile(), "<p>");
  EXPECT_THAT(html, AllOf(HasSubstr("&lt;script&gt;"), HasSubstr("<svg"),
                          Not(HasSubstr("<script")), Not(HasSubstr("<b>bold")),
                          Not(HasSubstr("<i>")), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace mulligan::cli
