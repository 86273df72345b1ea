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

TEST(PolicyTest, ShowsTheValidEmbeddedPolicy) {
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

TEST(PolicyTest, ShowsProblemsWithLineAndCaret) {
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

TEST(PolicyTest, CountsUnreadableFiles) {
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

// Returns a policy with these signatures, one per line from line 7.
std::string PolicyWith(const std::string& signatures) {
  return "apiVersion: mulligan.dev/v1\n"
         "kind: RetryPolicy\n"
         "metadata: {name: mine}\n"
         "spec:\n"
         "  default: {action: FAIL}\n"
         "  signatures:\n" +
         signatures;
}

struct NoteCase {
  const char* name;
  const char* signature;
  // The note about it; empty if there is none.
  const char* note;
};

class BuiltInRowsTest : public ::testing::TestWithParam<NoteCase> {};

TEST_P(BuiltInRowsTest, AreNotedAtTheSignature) {
  const std::string policy =
      PolicyWith(std::string("  - ") + GetParam().signature + "\n");
  const CommandResult result =
      RunMulligan({"policy", "check", "--strict", "-"}, policy);
  EXPECT_EQ(result.code, 0) << "notes are not warnings";
  const std::string note = GetParam().note;
  if (note.empty()) {
    EXPECT_EQ(result.out, "1 file: no problems\n");
    return;
  }
  EXPECT_THAT(result.out, HasSubstr("<stdin>:7:5: note: " + note));
}

INSTANTIATE_TEST_SUITE_P(
    All, BuiltInRowsTest,
    ::testing::Values(
        NoteCase{"SameCause",
                 "{name: nccl, cause: COLLECTIVE_CASCADE, messagePattern: "
                 "'NCCL .*remote process exited'}",
                 "\"nccl\" repeats the built-in row text/"},
        NoteCase{"AnotherCause",
                 "{name: nccl, cause: GPU_FAULT, confidence: HIGH, "
                 "messagePattern: 'NCCL .*remote process exited'}",
                 "\"nccl\" shadows the built-in row text/"},
        NoteCase{"ExitCode",
                 "{name: term, cause: NODE_SHUTDOWN, exitCodes: [143]}",
                 "\"term\" shadows the built-in row exit-code/SIGTERM "
                 "(SIGTERM_UNEXPLAINED)"},
        NoteCase{"CreationError",
                 "{name: quota, cause: API_TRANSIENT, confidence: LOW, "
                 "messagePattern: 'exceeded quota', sources: [CREATION_ERROR]}",
                 "\"quota\" shadows the built-in row creation/"},
        NoteCase{"NoneForAnotherText",
                 "{name: own, cause: GPU_FAULT, messagePattern: "
                 "'acme-sched: rack is dark'}",
                 ""},
        NoteCase{"NoneForAnotherSource",
                 "{name: nccl, cause: GPU_FAULT, messagePattern: "
                 "'NCCL .*remote process exited', sources: [CREATION_ERROR]}",
                 ""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PolicyTest, NotesHaveFirstStepAndCount) {
  const CommandResult result = RunMulligan(
      {"policy", "check", "-"},
      PolicyWith("  - {name: all, cause: GPU_FAULT, messagePattern: '.'}\n"));
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr(", which says what to do first: "),
                                HasSubstr("1 file: 3 notes")));
}

TEST(PolicyTest, NotesAreIssuesOfTheResponse) {
  const CommandResult result = RunMulligan(
      {"policy", "check", "-o", "json", "-"},
      PolicyWith("  - {name: term, cause: NODE_SHUTDOWN, exitCodes: [143]}\n"));
  v1::CheckPolicyResponse response;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(result.out, &response).ok());
  EXPECT_TRUE(response.valid());
  ASSERT_EQ(response.issues_size(), 1);
  EXPECT_EQ(response.issues(0).severity(), v1::PolicyIssue::NOTE);
  EXPECT_EQ(response.issues(0).line(), 7);
}

TEST(PolicyTest, BadPolicyStopsExplain) {
  const std::string file = WriteTestFile("bad.yaml", kBadPolicy);
  const CommandResult result =
      RunMulligan({"explain", "--policy", file, "-"}, kOomPod);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("bad.yaml:7:3: error: "));
}

}  // namespace
}  // namespace mulligan::testing
