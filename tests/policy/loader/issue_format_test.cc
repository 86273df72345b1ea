#include "policy/loader/issue_format.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;

Issue At(int line, int column,
         Issue::Severity severity = Issue::Severity::kError) {
  return {severity, "p.yaml", {line, column}, "is wrong"};
}

std::string Format(const Issue& issue, const std::string& text,
                   bool color = false) {
  return FormatIssues({issue}, {{"other.yaml", "x"}, {"p.yaml", text}}, color);
}

TEST(FormatIssuesTest, PointsAtTheColumn) {
  EXPECT_EQ(Format(At(2, 4), "a: 1\nb: 2\n"),
            "p.yaml:2:4: error: is wrong\n"
            "    2 | b: 2\n"
            "      |    ^\n");
}

TEST(FormatIssuesTest, PointsPastTheEndOfTheLine) {
  EXPECT_EQ(Format(At(1, 99), "ab\r\n"),
            "p.yaml:1:99: error: is wrong\n"
            "    1 | ab\n"
            "      |   ^\n");
}

TEST(FormatIssuesTest, CountsCharactersNotBytes) {
  EXPECT_EQ(Format(At(1, 7), "gr\xc3\xbc\xc3\x9f: 1\n"),
            "p.yaml:1:7: error: is wrong\n"
            "    1 | gr\xc3\xbc\xc3\x9f: 1\n"
            "      |     ^\n");
}

TEST(FormatIssuesTest, EscapesControlCharacters) {
  EXPECT_THAT(Format(At(1, 1), "a\x1b[2J\tb\xff c\n"),
              HasSubstr("| a\\u001b[2J b\xef\xbf\xbd c\n"));
  // Names of files and keys are untrusted, too.
  EXPECT_EQ(FormatIssues({{Issue::Severity::kError,
                           "\xe2\x80\xaep.yaml",
                           {1, 1},
                           "unknown key \"\x1b[31m\""}},
                         {}, /*color=*/false),
            "\\u202ep.yaml:1:1: error: unknown key \"\\u001b[31m\"\n");
}

TEST(FormatIssuesTest, CutsLongLinesAroundTheColumn) {
  const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
  const std::string expected = "    1 | " + std::string(60, 'a') + "X" +
                               std::string(59, 'b') + "\n      | " +
                               std::string(60, ' ') + "^\n";
  EXPECT_THAT(Format(At(1, 501), line), HasSubstr(expected));
}

TEST(FormatIssuesTest, OmitsUnknownPositions) {
  EXPECT_EQ(Format(At(9, 1), "a\n"), "p.yaml:9:1: error: is wrong\n");
  EXPECT_EQ(Format(At(0, 0), "a\n"), "p.yaml: error: is wrong\n");
  EXPECT_EQ(Format(At(1, 0), "a\n"), "p.yaml:1: error: is wrong\n    1 | a\n");
  EXPECT_EQ(FormatIssues({At(1, 1)}, {}, false),
            "p.yaml:1:1: error: is wrong\n");
}

TEST(FormatIssuesTest, ColorsOnRequest) {
  EXPECT_EQ(Format(At(1, 1, Issue::Severity::kWarning), "a\n", true),
            "p.yaml:1:1: \x1b[1;33mwarning:\x1b[0m is wrong\n"
            "\x1b[2m    1 |\x1b[0m a\n"
            "\x1b[2m      |\x1b[0m \x1b[1;31m^\x1b[0m\n");
}

TEST(FormatIssuesTest, ShowsNotes) {
  const Issue note = At(1, 1, Issue::Severity::kNote);
  EXPECT_EQ(Format(note, "a\n", true),
            "p.yaml:1:1: \x1b[2mnote:\x1b[0m is wrong\n"
            "\x1b[2m    1 |\x1b[0m a\n"
            "\x1b[2m      |\x1b[0m \x1b[1;31m^\x1b[0m\n");
  EXPECT_EQ(ToPolicyIssue(note).severity(), v1::PolicyIssue::NOTE);
}

TEST(SummarizeIssuesTest, CountsBySeverity) {
  const Issue error = At(1, 1);
  const Issue warning = At(1, 1, Issue::Severity::kWarning);
  EXPECT_EQ(SummarizeIssues({}), "no problems");
  EXPECT_EQ(SummarizeIssues({error}), "1 error");
  EXPECT_EQ(SummarizeIssues({warning, warning}), "2 warnings");
  EXPECT_EQ(SummarizeIssues({error, warning, error}), "2 errors, 1 warning");
  const Issue note = At(1, 1, Issue::Severity::kNote);
  EXPECT_EQ(SummarizeIssues({note, note}), "2 notes");
  EXPECT_EQ(SummarizeIssues({note, warning}), "1 warning, 1 note");
}

}  // namespace
}  // namespace mulligan
