// The operators' own tests, as data, against our native semantics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "client/conformance/runner.h"
#include "tests/testing/files.h"

namespace mulligan::conformance {
namespace {

class CasesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CasesTest, AreAllAnsweredAsTheOperatorDoes) {
  MULLIGAN_REQUIRE_SHARED("cases");
  const std::string path = mulligan::testing::SharedDir() / "cases" /
                           (std::string(GetParam()) + ".jsonl");
  std::ifstream file(path);
  ASSERT_TRUE(file.is_open()) << path;
  const FileReport report = RunCases(path, file);
  std::ostringstream printed;
  PrintReport(report, printed);
  EXPECT_THAT(report.failed, ::testing::IsEmpty()) << printed.str();
  EXPECT_GT(report.passed, 0);
}

INSTANTIATE_TEST_SUITE_P(Operators, CasesTest,
                         ::testing::Values("kubernetes", "jobset", "flyte",
                                           "trainer"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace mulligan::conformance
