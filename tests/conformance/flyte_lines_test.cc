// Flyte's cases hold more than their lines assert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "client/conformance/case.h"
#include "client/conformance/runner.h"
#include "tests/testing/files.h"

namespace mulligan::conformance {
namespace {

// Runs the cases that `change` keeps, as it changed them.
FileReport RunChanged(const std::function<bool(Json& test)>& change) {
  const std::string path =
      mulligan::testing::SharedDir() / "cases" / "flyte.jsonl";
  std::ifstream file(path);
  std::stringstream changed;
  for (std::string line; std::getline(file, line);) {
    Json test = Json::parse(line);
    if (change(test)) changed << test.dump() << "\n";
  }
  return RunCases(path, changed);
}

void ExpectAllPass(const FileReport& report) {
  std::ostringstream printed;
  PrintReport(report, printed);
  EXPECT_THAT(report.failed, ::testing::IsEmpty()) << printed.str();
  EXPECT_GT(report.passed, 0);
}

TEST(FlyteLinesTest, CasesOfBothLinesHoldForTheSecondToo) {
  MULLIGAN_REQUIRE_SHARED("cases");
  ExpectAllPass(RunChanged([](Json& test) {
    if (test["line"] != "v1+v2") return false;
    test["line"] = "v2";
    return true;
  }));
}

// What the peer's code yields, though its test does not assert it.
TEST(FlyteLinesTest, DerivedFactsHoldToo) {
  MULLIGAN_REQUIRE_SHARED("cases");
  ExpectAllPass(RunChanged([](Json& test) {
    if (!test.contains("derived") || test["derived"].empty()) return false;
    test["expect"] = test["derived"];
    return true;
  }));
}

}  // namespace
}  // namespace mulligan::conformance
