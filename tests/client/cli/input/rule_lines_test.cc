#include "client/cli/input/policy_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kPolicy[] =
    "spec:\n"
    "  rules:\n"
    "    - name: a\n"
    "      # why\n"
    "      then:\n"
    "        action: RETRY\n"
    "\n"
    "    - name: b\n"
    "  default: {action: FAIL}\n"
    "  derivation:\n"
    "    action: FAIL\n"
    "    scope: JOB\n";

TEST(RuleLinesTest, ReturnsTheBlock) {
  EXPECT_THAT(RuleLinesAt(kPolicy, 3, 7).lines,
              ElementsAre("    - name: a", "      # why",
                          "      then:", "        action: RETRY"));
  EXPECT_THAT(RuleLinesAt(kPolicy, 8, 7).lines, ElementsAre("    - name: b"));
  EXPECT_THAT(RuleLinesAt(kPolicy, 9, 12).lines,
              ElementsAre("  default: {action: FAIL}"));
  EXPECT_THAT(RuleLinesAt(kPolicy, 11, 5).lines,
              ElementsAre("    action: FAIL", "    scope: JOB"));
  EXPECT_THAT(RuleLinesAt(kPolicy, 99, 1).lines, IsEmpty());
  EXPECT_THAT(RuleLinesAt(
                  std::string(200, '\n') + "a:\n" +
                      [] {
                        std::string lines;
                        for (int i = 0; i < 99; ++i) lines += " b\n";
                        return lines;
                      }(),
                  201, 1)
                  .lines,
              SizeIs(40));
}

}  // namespace
}  // namespace mulligan::cli
