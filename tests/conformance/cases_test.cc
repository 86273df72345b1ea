// The operators' own tests, as data, against our native semantics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "client/conformance/runner.h"
#include "tests/testing/files.h"

namespace mulligan::conformance {
namespace {

// Cases that no answer can meet, and why. One that is met after all does not
// belong here.
const std::map<std::string, std::string>& WrongCases() {
  static const auto& cases = *new std::map<std::string, std::string>{
      {"kuberay-018", "asserts an object's name that its input does not have"},
      {"kueue-node-054", "asserts a node that its input does not have"},
      {"kueue-node-057", "asserts nodes that its input does not have"},
  };
  return cases;
}

class CasesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CasesTest, AreAllAnsweredAsTheOperatorDoes) {
  MULLIGAN_REQUIRE_SHARED("cases");
  const std::string path = mulligan::testing::SharedDir() / "cases" /
                           (std::string(GetParam()) + ".jsonl");
  std::ifstream file(path);
  ASSERT_TRUE(file.is_open()) << path;
  FileReport report = RunCases(path, file);
  std::ostringstream printed;
  PrintReport(report, printed);
  std::set<std::string> wrong;
  std::erase_if(report.failed, [&](const FailedCase& failed) {
    return WrongCases().count(failed.id) > 0 && wrong.insert(failed.id).second;
  });
  EXPECT_THAT(report.failed, ::testing::IsEmpty()) << printed.str();
  for (const auto& [id, why] : WrongCases()) {
    if (id.starts_with(GetParam() + std::string("-"))) {
      EXPECT_EQ(wrong.count(id), 1U) << id << " is met";
    }
  }
  EXPECT_GT(report.passed, 0);
}

INSTANTIATE_TEST_SUITE_P(Operators, CasesTest,
                         ::testing::Values("kubernetes", "jobset", "flyte",
                                           "trainer", "kuberay", "kueue"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace mulligan::conformance
