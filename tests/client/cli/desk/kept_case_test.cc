// Cases made from what the page shows.
#include <string>

#include "absl/strings/str_split.h"
#include "client/cli/desk/desk.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/cli/desk/ask_desk.h"

namespace mulligan::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::json;

TEST(KeptCaseTest, KeepsUniqueCaseNamesAndFixtures) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  question["caseName"] = "grows";
  question["suite"] = AskDesk(desk, "keep", question)["suite"];
  question["times"] = 2;
  question["suite"] = AskDesk(desk, "keep", question)["suite"];
  const std::string suite = question["suite"];
  EXPECT_THAT(suite, HasSubstr("- name: grows\n"));
  EXPECT_THAT(suite, HasSubstr("- name: grows 2\n"));
  EXPECT_EQ(suite.find("    objects:"), suite.rfind("    objects:")) << suite;
  const Json run = AskDesk(desk, "suite", question);
  ASSERT_THAT(run["suites"][0]["cases"], SizeIs(2)) << run;
  for (const Json& test : run["suites"][0]["cases"]) {
    EXPECT_THAT(test["failures"], IsEmpty());
  }
  EXPECT_EQ(run["coverage"], (Json{{"rules", 2},
                                   {"decided", 1},
                                   {"never", Json::array({"mine/default"})}}));
}

// The text around the cases does not change.
TEST(KeptCaseTest, AddsACaseAndKeepsTheText) {
  constexpr const char* kTops[] = {
      // Sections in any order, another indentation, text after the cases.
      R"(# Of the memory rules.
kind: RetryPolicyTest   # a suite
apiVersion: mulligan.dev/v1

spec:
    # First of all.
    cases:
        # Nothing grows twice.
        - name: "kept"
          steps: [{fixture: f, at: "2026-11-03T09:00:00Z", expect: {action: WAIT}}]
          # End of kept.

    # What is shown.
    fixtures:
        f: {objects: [{kind: Pod, apiVersion: v1, metadata: {name: x}}]}  # one
# Whose it is.
metadata: {name: x}
)",
      // Items indented like their key, and no line break at the end.
      R"(apiVersion: mulligan.dev/v1
kind: RetryPolicyTest
metadata: {name: x}
spec:
  policies: [mine.yaml]
  fixtures:
    f: {objects: [{kind: Pod, apiVersion: v1, metadata: {name: x}}]}
  cases:
  - name: kept
    steps: [{fixture: f, at: "2026-11-03T09:00:00Z", expect: {action: WAIT}}]
  # No more.)",
  };
  for (const std::string top : kTops) {
    Desk desk(Settings());
    Json question = QuestionWith(kMine, FailedPodText("a"));
    question["suite"] = top;
    for (const char* name : {"grows", "grows again"}) {
      question["caseName"] = name;
      const Json kept = AskDesk(desk, "keep", question);
      ASSERT_TRUE(kept.contains("suite")) << kept;
      question["suite"] = kept["suite"];
    }
    const std::string suite = question["suite"];
    std::size_t at = 0;
    for (const auto line : absl::StrSplit(top, '\n')) {
      at = suite.find(std::string(line), at);
      ASSERT_NE(at, std::string::npos) << line << " in\n" << suite;
    }
    const Json run = AskDesk(desk, "suite", question);
    EXPECT_THAT(run["suites"][0]["issues"], IsEmpty()) << run << suite;
    EXPECT_EQ(run["suites"][0]["cases"].back()["name"], "grows again");
    EXPECT_THAT(run["suites"][0]["cases"].back()["failures"], IsEmpty());
  }
}

TEST(KeptCaseTest, AddsTheFirstCase) {
  constexpr const char* kHead =
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicyTest  # ours\n"
      "metadata: {name: x}\nspec:\n";
  const std::string tops[] = {
      "# Ours.\n\n# No case yet.", std::string(kHead) + "  cases:  # soon\n",
      std::string(kHead) + "  cases: []  # soon\n  fixtures: {}\n"};
  for (const std::string& top : tops) {
    Desk desk(Settings());
    Json question = QuestionWith(kMine, FailedPodText("a"));
    question["suite"] = top;
    const Json kept = AskDesk(desk, "keep", question);
    ASSERT_TRUE(kept.contains("suite")) << top << kept;
    question["suite"] = kept["suite"];
    const Json run = AskDesk(desk, "suite", question);
    EXPECT_THAT(run["suites"][0]["issues"], IsEmpty()) << run;
    EXPECT_EQ(run["suites"][0]["cases"].size(), 1) << run;
    for (const auto line : absl::StrSplit(top, '\n')) {
      const auto comment = line.find('#');
      if (comment == line.npos) continue;
      EXPECT_THAT(kept["suite"].get<std::string>(),
                  HasSubstr(std::string(line.substr(comment))));
    }
  }
}

TEST(KeptCaseTest, KeepsLineBreaks) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  question["suite"] =
      "apiVersion: mulligan.dev/v1\r\nkind: RetryPolicyTest\r\n"
      "metadata: {name: x}\r\nspec:\r\n  # First.\r\n  cases: []\r\n";
  const Json kept = AskDesk(desk, "keep", question);
  ASSERT_TRUE(kept.contains("suite")) << kept;
  const std::string suite = kept["suite"];
  for (std::size_t at = suite.find('\n'); at != std::string::npos;
       at = suite.find('\n', at + 1)) {
    ASSERT_EQ(suite[at - 1], '\r') << suite;
  }
  EXPECT_THAT(suite, HasSubstr("  # First.\r\n  cases:\r\n"));
}

TEST(KeptCaseTest, RejectsSuitesThatWouldLoseComments) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  const std::string flow = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicyTest
metadata: {name: x}
spec:
  fixtures: {f: {objects: [{kind: Pod, apiVersion: v1, metadata: {name: x}}]}}
  cases: [{name: c, steps: [{fixture: f, at: "2026-11-03T09:00:00Z",
                             expect: {action: WAIT}}]}]
)";
  question["suite"] = flow + "# mine\n";
  const DeskAnswer answer = desk.Answer("POST", "keep", question.dump());
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("would lose its comments"));
  question["suite"] = flow;
  EXPECT_THAT(AskDesk(desk, "keep", question)["suite"].get<std::string>(),
              HasSubstr("cases:"));
}

TEST(KeptCaseTest, RejectsSuitesWithErrors) {
  Desk desk(Settings());
  Json question = QuestionWith(kMine, FailedPodText("a"));
  question["suite"] = "kind: RetryPolicyTest\nspce: {}\n";
  const DeskAnswer answer = desk.Answer("POST", "keep", question.dump());
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("the suite, line 2"));
}

}  // namespace
}  // namespace mulligan::cli
