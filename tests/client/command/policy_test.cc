#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "mulligan/v1/policy_service.pb.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PolicyTest, TheEmbeddedPolicyIsShownAndValid) {
  const CommandResult shown = RunMulligan({"policy", "show"});
  EXPECT_EQ(shown.code, 0);
  const CommandResult checked =
      RunMulligan({"policy", "check", "-"}, shown.out);
  EXPECT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("1 file: no problems"));
}

constexpr char kBadPolicy[] =
    "apiVersion: mulligan.dev/v1\n"
    "kind: RetryPolicy\n"
    "metadata: {name: x}\n"
    "spec:\n"
    "  budgets: {a: {limit: 1}}\n"
    "  default: {action: RETRY, budget: b}\n"
    "  defualt: {action: FAIL}\n";

TEST(PolicyTest, ProblemsAreShownWithLineAndCaret) {
  const std::string file = WriteTestFile("bad.yaml", kBadPolicy);
  const CommandResult result = RunMulligan({"policy", "check", file});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr(file + ":7:3: error: "), HasSubstr("defualt"),
                    HasSubstr("\n      |   ^"), HasSubstr("1 file: ")));
}

TEST(PolicyTest, JsonIsACheckPolicyResponse) {
  const CommandResult result =
      RunMulligan({"policy", "check", "-o", "json", "-"}, kBadPolicy);
  EXPECT_EQ(result.code, 3);
  v1::CheckPolicyResponse response;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(result.out, &response).ok());
  EXPECT_FALSE(response.valid());
  ASSERT_GE(response.issues_size(), 1);
  EXPECT_EQ(response.issues(0).file(), "<stdin>");
}

TEST(PolicyTest, FilesThatCannotBeReadCount) {
  const std::string large =
      WriteTestFile("large.yaml", std::string(300 * 1024, '#'));
  const std::string good =
      WriteTestFile("good.yaml", RunMulligan({"policy", "show"}).out);
  const CommandResult alone = RunMulligan({"policy", "check", large});
  EXPECT_EQ(alone.code, 3);
  EXPECT_THAT(alone.out, AllOf(HasSubstr("larger than 256 KiB"),
                               HasSubstr("1 file: 1 error")));
  const CommandResult both = RunMulligan({"policy", "check", good, large});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.out, HasSubstr("2 files: 1 error"));
}

TEST(PolicyTest, ABadPolicyStopsExplain) {
  const std::string file = WriteTestFile("bad.yaml", kBadPolicy);
  const CommandResult result =
      RunMulligan({"explain", "--policy", file, "-"}, kOomPod);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("bad.yaml:7:3: error: "));
}

}  // namespace
}  // namespace mulligan::testing
