#include "client/cli/print/human.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_join.h"
#include "client/cli/base/utf8.h"
#include "client/cli/print/layout.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::ReadFile;
using ::mulligan::testing::SourcePath;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

std::string Format(const v1::DecideResponse& response,
                   const HumanOptions& options) {
  // As after a repeated report: every attempt has a decision.
  v1::DecideRequest request;
  *request.mutable_ledger() = response.ledger();
  return FormatForPeople(MakeStory(request, response, ""), response, options);
}

v1::DecideResponse Parse(const std::string& text) {
  v1::DecideResponse response;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &response));
  return response;
}

// Each golden case is a pair of files: NAME.txtpb has the answer, NAME.txt the
// text printed for it.
class HumanGoldenTest : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string File(const std::string& suffix) {
    return SourcePath("tests/client/testdata/" + std::string(GetParam()) +
                      suffix);
  }

  static v1::DecideResponse Response() {
    const absl::StatusOr<std::string> text = ReadFile(File(".txtpb"));
    EXPECT_OK(text);
    return Parse(text.value_or(""));
  }
};

TEST_P(HumanGoldenTest, MatchesGoldenFile) {
  EXPECT_THAT(ReadFile(File(".txt")),
              IsOkAndHolds(Format(Response(), {.verbose = true})));
}

TEST_P(HumanGoldenTest, FitsEightyColumns) {
  std::istringstream lines(Format(Response(), {.verbose = true}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(DisplayWidth(line), Le(80)) << line;
    EXPECT_THAT(line, Not(::testing::EndsWith(" ")));
  }
}

TEST_P(HumanGoldenTest, ColorsOnlyAddEscapes) {
  std::string colored = Format(Response(), {.color = true, .verbose = true});
  EXPECT_THAT(colored, HasSubstr("\033["));
  for (size_t at; (at = colored.find('\033')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, Format(Response(), {.verbose = true}));
}

INSTANTIATE_TEST_SUITE_P(All, HumanGoldenTest,
                         ::testing::Values("retry", "fail", "wait", "ignore"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

TEST(HumanTest, PrintsDetailsIfAskedOrUnsure) {
  v1::DecideResponse response = Parse(R"pb(
    diagnosis {
      confidence: HIGH
      considered { cause: HOST_OOM why_not: "no" }
    }
    explanation {
      rules_tried {
        rule { rule: "r" }
        failed_predicate: "f"
      }
    })pb");
  EXPECT_THAT(Format(response, {}), Not(HasSubstr("Cause")));
  const std::string details = Format(response, {.details = true});
  EXPECT_THAT(details, HasSubstr("\n  Cause "));
  EXPECT_THAT(details, Not(HasSubstr("HOST_OOM")));
  EXPECT_THAT(details, Not(HasSubstr("Rules that did not match")));
  response.mutable_diagnosis()->set_confidence(v1::Diagnosis::LOW);
  EXPECT_THAT(Format(response, {.details = true}), HasSubstr("HOST_OOM: no"));
}

TEST(HumanTest, AttemptsFitWithAnyBudgetName) {
  v1::DecideResponse response = Parse(R"pb(
    ledger {
      history {
        cause: DEPENDENCY_UNAVAILABLE
        finished_at { seconds: 1000 }
        used: 1
        bound: 3
        decision { action: RETRY scope: WORKLOAD }
      }
    })pb");
  auto& record = *response.mutable_ledger()->mutable_history(0);
  for (const std::size_t size : {6U, 30U, 45U, 60U}) {
    record.set_charged_to(std::string(size, 'b'));
    const std::string text = Format(response, {});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_THAT(DisplayWidth(line), Le(80)) << line;
    }
    EXPECT_THAT(text, HasSubstr(record.charged_to()));
    EXPECT_THAT(text, HasSubstr("1/3"));
    EXPECT_THAT(text, HasSubstr("retry the"));
  }
}

TEST(HumanTest, EscapesTextOfContainers) {
  const std::string text =
      Format(Parse(R"pb(
               diagnosis {
                 summary: "a\033[2Jb\xe2\x80\xae"
                 culprit { pod: "p\033]0;x\007" }
                 evidence { value: "\r\n" path: "\xe2\x81\xa6" }
               }
               accounting { budgets { name: "b\033[1m" } }
               ledger { history { charged_to: "c\033[1m" } }
               native { operator: "o\033[1m" }
               warnings: "w\xc2\x9b")pb"),
             {.details = true});
  for (const char* hostile :
       {"\033", "\007", "\r", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6"}) {
    EXPECT_THAT(text, Not(HasSubstr(hostile)));
  }
  EXPECT_THAT(text, HasSubstr("a\\u001b[2Jb\\u202e"));
}

TEST(HumanTest, PrintsCausesNotRuledOut) {
  const std::string text = Format(
      Parse(R"pb(
        diagnosis {
          confidence: LOW
          considered { cause: HOST_OOM why_not: "the node shows no sign" }
          considered {
            cause: NODE_LOST
            why_not: "not ruled out: the report lacks node/n"
          }
        })pb"),
      {.details = true});
  EXPECT_THAT(text, HasSubstr("\nRuled out\n  - HOST_OOM: the node shows no "
                              "sign\n"));
  EXPECT_THAT(text, HasSubstr("\nPossible still\n  - NODE_LOST: the report "
                              "lacks node/n\n"));
  EXPECT_THAT(text, HasSubstr("a guess: "));
}

// Messages of other components may contain colons and stops.
TEST(HumanTest, PrintsTextsOfEventsOnTheirOwnLines) {
  const std::string text =
      Format(Parse(R"pb(
               diagnosis {
                 evidence {
                   path: "events[0].message"
                   value: "0/3 nodes are available: 3 Insufficient cpu."
                   meaning: "no node has room for the pod"
                 }
                 evidence {
                   path: "events[0].reason"
                   value: "FailedScheduling"
                   meaning: "no node fits the pod"
                 }
                 evidence {
                   path: "events[2].message"
                   value: "0/3 nodes are available: 3 Insufficient cpu."
                   meaning: "no node has room for the pod"
                 }
                 evidence {
                   path: "events[4].message"
                   value: "0/4 nodes are available: 4 Insufficient cpu."
                   meaning: "no node has room for the pod"
                 }
               })pb"),
             {.details = true});
  EXPECT_THAT(text, HasSubstr("\nEvidence\n"
                              "  1. 0/3 nodes are available: 3 Insufficient "
                              "cpu.\n"
                              "     (no node has room for the pod)\n"
                              "     events[0].message\n"
                              "     events[2].message\n"
                              "  2. FailedScheduling: no node fits the pod\n"
                              "     events[0].reason\n"
                              "  3. 0/4 nodes are available: 4 Insufficient "
                              "cpu.\n"
                              "     (no node has room for the pod)\n"
                              "     events[4].message\n"));
}

TEST(HumanTest, PrintsAnEmptyAnswer) {
  EXPECT_THAT(Format({}, {}), HasSubstr("ACTION UNSPECIFIED\n"));
}

TEST(WrapTextTest, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_THAT(WrapText("aa bb cc", 5), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(WrapText("a verylongword b", 6),
              ElementsAre("a", "verylongword", "b"));
  EXPECT_THAT(WrapText("éé éé", 5), ElementsAre("éé éé"));
  EXPECT_THAT(WrapText("", 5), ElementsAre(""));
}

struct TextWithCommand {
  const char* name;
  std::string before;
  std::string command;
  std::string behind = "";
};

class CommandInTextTest : public ::testing::TestWithParam<TextWithCommand> {};

// Pasted from two lines, it would be two commands.
TEST_P(CommandInTextTest, IsOnOneLineAtEveryWidth) {
  const auto& [name, before, command, behind] = GetParam();
  for (std::size_t width = 1; width < 120; ++width) {
    const std::vector<std::string> lines =
        WrapText(before + command + behind, width);
    EXPECT_THAT(lines, Contains(HasSubstr(command))) << width;
    EXPECT_EQ(absl::StrJoin(lines, " "), before + command + behind);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandInTextTest,
    ::testing::Values(
        TextWithCommand{
            "AtTheEnd", "read the end of the log: ",
            "kubectl logs -n team-research-platform-x bash -c date"},
        TextWithCommand{
            "BeforeAnother", "read the logs of its members, first: ",
            "kubectl logs -n team-research-platform-x rm -c date",
            "; kubectl logs -n team-research-platform-x w-1 -c date; give "
            "those that are missing, too"},
        TextWithCommand{
            "WithQuotedNames", "ask: ",
            R"(kubectl logs -n 'a; b) c' 'it'\''s; reboot' -c 'x ` y')",
            "; then go on"},
        TextWithCommand{"WithNamesOfMarks",
                        "ask: ", "kubectl logs -n a. b: -c c, x"},
        TextWithCommand{"InParentheses", "look (",
                        "kubectl get workloads -n a b", ") and wait for it"},
        TextWithCommand{"OfPolicies", "run ", "`make -C deploy NS=a b`",
                        ", then wait for it"},
        TextWithCommand{"OfOurs", "then ",
                        "mulligan explain --workload Job/ml/a b"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::cli
