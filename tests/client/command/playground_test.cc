// Usage errors of `mulligan playground`; tests/client/cli/desk and
// tests/client/desk test what it serves.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::HasSubstr;

TEST(PlaygroundCommandTest, ReportsBadFlags) {
  const std::string none = TestFolder() / "none";
  const std::pair<std::vector<std::string>, std::string> kWrong[] = {
      {{"--policy-dir", none}, "--policy-dir: "},
      {{"--suite", none}, none + ": no such file or directory"},
      {{"--log", none}, none},
      {{"--port", "65536"}, "--port"},
      {{"--port", "no"}, "--port"},
      {{"stray"}, "stray"},
  };
  for (const auto& [flags, message] : kWrong) {
    std::vector<std::string> arguments = {"playground"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CommandResult result = RunMulligan(arguments);
    EXPECT_EQ(result.code, 2) << flags[0];
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace mulligan::testing
