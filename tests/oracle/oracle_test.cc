// Native verdicts compared with the recorded behaviour of the operators' own
// code, through Decide. Every difference is allowed by the point of
// docs/conformance.md that the case names, or is listed with its point in
// differences.tsv. A listed difference that no longer occurs fails the test,
// too, so the list stays accurate.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"
#include "tests/oracle/recorded.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::oracle {
namespace {

struct File {
  const char* name;
  // The expected number of cases: fewer mean lost data.
  std::size_t cases;
};

class OracleTest : public ::testing::TestWithParam<File> {};

TEST_P(OracleTest, AgreesExceptForKnownDifferences) {
  ASSERT_OK_AND_ASSIGN(
      const auto known,
      ReadKnown(testing::SourcePath("tests/oracle/differences.tsv")));
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Recorded> all,
      ReadRecorded(testing::SourcePath("tests/oracle/data") /
                   (std::string(GetParam().name) + ".jsonl.gz")));
  EXPECT_EQ(all.size(), GetParam().cases);
  Issues issues;
  const std::unique_ptr<const PolicySet> policies =
      LoadPolicies({EmbeddedPolicy()}, issues);
  std::size_t agreed = 0;
  for (const Recorded& recorded : all) {
    std::set<std::string> members;
    std::string text;
    const auto answer = Ask(recorded, *policies);
    const auto differences = Differences(recorded, answer);
    if (!differences.empty() && IsExplained(recorded, answer)) continue;
    for (const auto& [member, difference] : differences) {
      members.insert(member);
      absl::StrAppend(&text, member, ": expected ", difference.want, ", got ",
                      difference.got, "\n");
    }
    if (members.empty()) ++agreed;
    const auto found = known.find(recorded.id);
    const std::set<std::string> expected =
        found == known.end() ? std::set<std::string>() : found->second;
    EXPECT_EQ(members, expected) << recorded.id << "\n" << text;
  }
  RecordProperty("agreed", static_cast<int>(agreed));
}

INSTANTIATE_TEST_SUITE_P(
    Operators, OracleTest,
    ::testing::Values(File{"job", 623}, File{"job_generated", 331},
                      File{"jobset", 601}, File{"jobset_generated", 295},
                      File{"kuberay", 1203}, File{"kueue", 957},
                      File{"training_operator", 1109}, File{"trainer", 400},
                      File{"flyte", 933}, File{"flyte2", 297},
                      File{"flyte_releases", 620}, File{"flyte_kubeflow", 248},
                      File{"spark", 596}),
    [](const auto& file) { return std::string(file.param.name); });

}  // namespace
}  // namespace mulligan::oracle
