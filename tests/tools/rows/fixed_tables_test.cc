// The compilers of the tables of causes and of XID codes: output and errors.
#include "tools/rows/fixed_tables.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/issue.h"

namespace mulligan::demystify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> FormattedIssues(const Issues& issues) {
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(FormatIssue(issue));
  return texts;
}

// Returns a table with a row for each cause; `own` replaces that of UNKNOWN.
std::string CausesWith(const std::string& own) {
  std::string yaml = "causes:\n";
  for (int number = 1; number <= v1::Cause_MAX; ++number) {
    const auto cause = static_cast<v1::Cause>(number);
    if (cause == v1::UNKNOWN) continue;
    absl::StrAppend(&yaml, "- {cause: ", v1::Cause_Name(cause),
                    ", faultDomain: NONE, gang: OWN}\n");
  }
  return yaml + own;
}

std::vector<std::string> IssuesOfCauses(const std::string& own) {
  Issues issues;
  CompileCauses("c.yaml", CausesWith(own), issues);
  return FormattedIssues(issues);
}

TEST(CausesTable, WritesConstantsAndDocumentation) {
  Issues issues;
  const signatures::CauseTable table = CompileCauses(
      "c.yaml",
      CausesWith("- {cause: UNKNOWN, faultDomain: INFRASTRUCTURE, outlook: "
                 "MAY_RECOVER, gang: UNEXPLAINED, history: [SHARED, IN_WORDS], "
                 "remedy: 'look at {node}', elsewhere: ask, actor: PLATFORM, "
                 "alternatives: "
                 "[{cause: DRAINED, part: EVENTS, whyNot: a, what: b, why: "
                 "c}]}\n"),
      issues);
  ASSERT_THAT(FormattedIssues(issues), IsEmpty());
  const std::string source = CausesSource(table);
  EXPECT_THAT(source, HasSubstr(absl::StrCat(
                          "{v1::UNKNOWN, ", +v1::Cause_MAX,
                          ", v1::Diagnosis::INFRASTRUCTURE, "
                          "v1::Diagnosis::MAY_RECOVER,\n   "
                          "GangClass::kUnexplained, kNoHistory | kShared | "
                          "kInWords, kUnknownOr,\n   \"look at {node}\", "
                          "v1::FirstStep::PLATFORM, \"ask\"}")));
  EXPECT_THAT(source, HasSubstr("{v1::DRAINED, Part::kEvents, \"a\",\n   "
                                "\"b\", \"c\"}"));
  EXPECT_THAT(CausesMarkdown(table),
              HasSubstr("| [`UNKNOWN`](#unknown) | `INFRASTRUCTURE` | may "
                        "recover | look at {node} |\n"));
}

TEST(CausesTable, RejectsMissingRepeatedAndIncompleteRows) {
  EXPECT_THAT(IssuesOfCauses(""),
              ElementsAre(HasSubstr("UNKNOWN is missing, expected a row for "
                                    "each cause")));
  EXPECT_THAT(
      IssuesOfCauses("- {cause: UNKNOWN, faultDomain: NONE, gang: OWN}\n"
                     "- {cause: DRAINED, faultDomain: NONE, gang: OWN}\n"),
      ElementsAre(HasSubstr("DRAINED has a row already")));
  EXPECT_THAT(IssuesOfCauses("- {cause: UNKNOWN}\n"),
              ElementsAre(HasSubstr("faultDomain is missing"),
                          HasSubstr("gang is missing")));
  EXPECT_THAT(IssuesOfCauses("- {cause: UNKNOWN, faultDomain: NONE, gang: OWN, "
                             "remedy: 'ask {pd}', actor: USER}\n"),
              ElementsAre(HasSubstr("has a word in braces")));
  EXPECT_THAT(IssuesOfCauses("- {cause: UNKNOWN, faultDomain: NONE, gang: OWN, "
                             "remedy: ask}\n"),
              ElementsAre(HasSubstr("a remedy and an actor")));
  EXPECT_THAT(IssuesOfCauses("- {cause: UNKNOWN, faultDomain: NONE, gang: OWN, "
                             "alternatives: [{cause: UNKNOWN, part: PODS, "
                             "whyNot: a, what: b, why: c}]}\n"),
              ElementsAre(HasSubstr("expected another cause")));
  EXPECT_THAT(IssuesOfCauses("- {cause: UNKNWN, faultDomain: NONE, gang: OWN}"),
              Contains(HasSubstr("did you mean UNKNOWN?")));
}

TEST(XidTable, WritesRanges) {
  Issues issues;
  const signatures::XidTable table = CompileXids(
      "x.yaml",
      "xids:\n- {codes: [8], effect: PROGRAM}\n- {codes: [48, 49], effect: "
      "GPU, name: ECC, flyteSeverity: critical, flyteFailure: Ecc}\n",
      issues);
  ASSERT_THAT(FormattedIssues(issues), IsEmpty());
  EXPECT_THAT(XidsSource(table),
              HasSubstr("{8, 8, XidEffect::kProgram, \"\", \"\", \"\"},\n  "
                        "{48, 49, XidEffect::kGpu, \"ECC\", \"critical\", "
                        "\"Ecc\"},\n"));
}

TEST(XidTable, RejectsUnorderedAndIncompleteRows) {
  Issues issues;
  CompileXids("x.yaml",
              "xids:\n- {codes: [9], effect: GPU}\n- {codes: [9, 10], effect: "
              "GPU}\n- {codes: [11]}\n- {codes: [12], effect: GPU, name: a}\n",
              issues);
  EXPECT_THAT(FormattedIssues(issues),
              ElementsAre(HasSubstr("above those of the row before"),
                          HasSubstr("effect is missing"),
                          HasSubstr("name, flyteSeverity and flyteFailure")));
}

}  // namespace
}  // namespace mulligan::demystify
