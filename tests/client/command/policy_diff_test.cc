// `mulligan policy diff`: recorded requests under two sets of policies.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/run_command.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Policy(const std::string& name, const std::string& memory) {
  return absl::StrCat(
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\nmetadata: {name: ", name,
      "}\nspec:\n  budgets: {memory: {limit: 2}, bugs: {limit: 3}}\n  rules:\n",
      "    - name: grow\n      when: {causes: [CONTAINER_OOM]}\n      then: ",
      memory, "\n  default: {action: RETRY, budget: bugs}\n");
}

// Returns a request about a failed pod in its own workload.
std::string Request(const std::string& name, int code,
                    const std::string& reason) {
  return absl::StrCat(
      R"({"report":{"observedAt":"2026-11-03T09:00:05Z","pods":[{"metadata":)",
      R"({"name":")", name, R"(","namespace":"n","uid":")", name,
      R"("},"status":{"phase":"Failed","containerStatuses":[{"name":"main",)",
      R"("state":{"terminated":{"exitCode":)", code, R"(,"reason":")", reason,
      R"(","finishedAt":"2026-11-03T09:00:00Z"}}}]}}]}})");
}

class PolicyDiffTest : public ::testing::Test {
 protected:
  CommandResult Diff(const std::string& requests,
                     std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(),
                 {"policy", "diff", before_, after_, "--requests", "-"});
    return RunMulligan(flags, requests);
  }

  std::string before_ = WriteTestFile(
      "before.yaml", Policy("nightly", "{action: RETRY, budget: memory}"));
  std::string after_ =
      WriteTestFile("after.yaml", Policy("nightly", "{action: FAIL}"));
};

TEST_F(PolicyDiffTest, GroupsEqualDifferences) {
  const CommandResult result = Diff(absl::StrCat(
      Request("a", 1, "Error"), "\n\n", Request("b", 137, "OOMKilled"), "\n",
      Request("c", 137, "OOMKilled"), "\n"));
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("2 of 3 answers differ\n"),
            HasSubstr("2 CONTAINER_OOM: ACTION, QUEUE, CHARGE"),
            HasSubstr("  - RETRY the pod"), HasSubstr("(nightly/grow, memory)"),
            HasSubstr("  + FAIL the pod (nightly/grow)"),
            HasSubstr("  line 3, Pod n/b\n")));
}

TEST_F(PolicyDiffTest, EqualPoliciesExitWithZero) {
  after_ = before_;
  const CommandResult result = Diff(Request("b", 137, "OOMKilled") + "\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_EQ(result.out, "0 of 1 answers differ\n");
}

TEST_F(PolicyDiffTest, ReadsDecisionRecords) {
  const std::string record = absl::StrCat(
      R"({"decidedAt":"2026-11-03T09:00:06Z","replica":"r","request":)",
      Request("b", 137, "OOMKilled"),
      R"(,"response":{},"redacted":["request.report.pods"],"newer":1})");
  const CommandResult result = Diff(record + "\n", {"-o", "json"});
  EXPECT_EQ(result.code, 1) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["requests"], 1);
  EXPECT_EQ(json["different"], 1);
  EXPECT_EQ(json["redacted"], 1);
  ASSERT_EQ(json["groups"].size(), 1U);
  const auto& group = json["groups"][0];
  EXPECT_EQ(group["cause"], "CONTAINER_OOM");
  EXPECT_EQ(group["line"], 1);
  EXPECT_EQ(group["before"]["budget"], "memory");
  EXPECT_EQ(group["after"]["rule"], "nightly/grow");
  EXPECT_EQ(group["differences"][0], "ACTION");
}

TEST_F(PolicyDiffTest, MissingAnswerIsADifference) {
  after_ = WriteTestFile("after.yaml",
                         Policy("weekly", "{action: RETRY, budget: memory}"));
  std::string named = Request("b", 137, "OOMKilled");
  named.insert(named.size() - 1, R"(,"policy":"nightly")");
  const CommandResult result = Diff(named + "\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("NO_ANSWER"), HasSubstr("  + no answer"),
                    HasSubstr("policy \"nightly\" is not loaded")));
}

TEST_F(PolicyDiffTest, UnreadableLinesExitWithTwo) {
  const CommandResult result =
      Diff("{\"report\":\n" + Request("b", 137, "OOMKilled") + "\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("1 of 1 answers differ"));
  EXPECT_THAT(result.err,
              HasSubstr("1 lines have no answer; the first: line 1: "));
  EXPECT_EQ(Diff("\n").code, 2) << "nothing was compared";
}

TEST_F(PolicyDiffTest, InvalidPoliciesExitWithThree) {
  after_ = WriteTestFile("after.yaml", "kind: RetryPolicy\n");
  const CommandResult result = Diff(Request("b", 137, "OOMKilled") + "\n");
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("after.yaml:1:1: error: "));
}

TEST_F(PolicyDiffTest, EmbeddedPoliciesHaveAName) {
  before_ = "embedded";
  after_ = "embedded";
  EXPECT_EQ(Diff(Request("b", 137, "OOMKilled") + "\n").code, 0);
}

}  // namespace
}  // namespace mulligan::testing
