#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "client/cli/input/inputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::PartiallyEqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::HasSubstr;

constexpr char kPod[] = R"({"kind":"Pod"})";

class RequestOptionsTest : public ::testing::Test {
 protected:
  RequestOptionsTest() { options_.files = {"-"}; }

  absl::StatusOr<Inputs> Make(OutputFormat format = OutputFormat::kJson) {
    std::istringstream in(stdin_);
    google::protobuf::Timestamp now;
    now.set_seconds(1000);
    return MakeRequest(options_, format, now, in);
  }

  RequestOptions options_;
  std::string stdin_ = kPod;
};

TEST_F(RequestOptionsTest, ObservedNowByDefault) {
  ASSERT_OK_AND_ASSIGN(Inputs inputs, Make());
  EXPECT_EQ(inputs.request.report().observed_at().seconds(), 1000);
  stdin_ = R"({"observedAt":"1970-01-01T00:00:05Z","pods":[{}]})";
  ASSERT_OK_AND_ASSIGN(inputs, Make());
  EXPECT_EQ(inputs.request.report().observed_at().seconds(), 5);
  options_.observed_at = "1970-01-01T01:00:07+01:00";
  ASSERT_OK_AND_ASSIGN(inputs, Make());
  EXPECT_EQ(inputs.request.report().observed_at().seconds(), 7);
}

TEST_F(RequestOptionsTest, AddsHintsToThoseOfTheInput) {
  stdin_ = R"({"pods":[{}],"hints":[{"source":"a","cause":"HANG"}]})";
  options_.hints = {"b:GPU_FAULT", "c:HANG:LOW"};
  ASSERT_OK_AND_ASSIGN(Inputs inputs, Make());
  ASSERT_EQ(inputs.request.report().hints_size(), 3);
  EXPECT_THAT(inputs.request.report().hints(2),
              EqualsProto("source: 'c' cause: HANG confidence: LOW"));
  options_.hints = {"c:NOTHING"};
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("--hint c:NOTHING")));
}

TEST_F(RequestOptionsTest, TextOutputAsksForTheFullExplanation) {
  ASSERT_OK_AND_ASSIGN(Inputs inputs, Make(OutputFormat::kHuman));
  EXPECT_EQ(inputs.request.explain(), v1::DecideRequest::FULL);
  ASSERT_OK_AND_ASSIGN(inputs, Make(OutputFormat::kJson));
  EXPECT_EQ(inputs.request.explain(), v1::DecideRequest::EXPLAIN_UNSPECIFIED);
  options_.explain = "none";
  ASSERT_OK_AND_ASSIGN(inputs, Make(OutputFormat::kHuman));
  EXPECT_EQ(inputs.request.explain(), v1::DecideRequest::EXPLAIN_NONE);
}

TEST_F(RequestOptionsTest, FlagsOverrideTheInput) {
  stdin_ = R"({"report":{"failureId":"a","attempt":1,"pods":[{}]},
               "policy":"p"})";
  options_.failure_id = "b";
  options_.attempt = 3;
  options_.policy_name = "q";
  ASSERT_OK_AND_ASSIGN(const Inputs inputs, Make());
  EXPECT_THAT(inputs.request, PartiallyEqualsProto(R"pb(
                report { failure_id: "b" attempt: 3 }
                policy: "q")pb"));
}

TEST_F(RequestOptionsTest, ReadsALedgerOrAnAnswer) {
  for (const std::string text :
       {R"({"workloadUid":"u","attemptsSeen":2})",
        R"({"decision":{},"ledger":{"workloadUid":"u","attemptsSeen":2}})",
        "workloadUid: u\nattemptsSeen: 2\n"}) {
    SCOPED_TRACE(text);
    options_.ledger = testing::WriteTestFile("ledger", text);
    ASSERT_OK_AND_ASSIGN(const Inputs inputs, Make());
    EXPECT_THAT(inputs.request.ledger(), EqualsProto(R"pb(
                  workload_uid: "u"
                  attempts_seen: 2)pb"));
  }
}

TEST_F(RequestOptionsTest, EmptyLedgerIsAFirstFailure) {
  options_.ledger = testing::WriteTestFile("ledger", "\n");
  ASSERT_OK_AND_ASSIGN(const Inputs inputs, Make());
  EXPECT_THAT(inputs.request.ledger(), EqualsProto(""));
}

TEST_F(RequestOptionsTest, RejectsInvalidLedgers) {
  options_.ledger = testing::WriteTestFile("ledger", kPod);
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("has no field of a BudgetLedger")));
  options_.ledger = testing::WriteTestFile("other", R"({"attemptsSeen":"x"})");
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("attemptsSeen: \"x\" is not a 32-bit "
                                         "integer")));
  options_.ledger = "/no/such/ledger";
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kNotFound,
                               "/no/such/ledger: No such file or directory"));
}

TEST_F(RequestOptionsTest, RejectsBadValuesByFlag) {
  options_.observed_at = "yesterday";
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               "--observed-at: \"yesterday\" is not a time "
                               "such as 2026-01-31T08:00:00Z"));
}

TEST_F(RequestOptionsTest, RejectsReadingStandardInputTwice) {
  options_.ledger = "-";
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               "\"-\": standard input is named 2 times, "
                               "expected once"));
}

TEST_F(RequestOptionsTest, RejectsDirectories) {
  options_.files = {testing::TestFolder()};
  EXPECT_THAT(Make(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("is a directory, expected a file")));
}

TEST(WriteOutputTest, ReplacesTheFileAtomically) {
  const std::string path = testing::TestFolder() / "file";
  ASSERT_OK(WriteOutput(path, "first, and longer"));
  ASSERT_OK(WriteOutput(path, "second"));
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "second");
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  std::filesystem::create_symlink("/dev/full", path + ".tmp");
  EXPECT_THAT(WriteOutput(path, "third"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("No space left on device")));
  EXPECT_FALSE(std::filesystem::is_symlink(path + ".tmp"));
  EXPECT_THAT(WriteOutput("/no/such/folder/x", ""),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("cannot be written")));
}

TEST(ParseHint, KeepsColonsOfTheText) {
  const auto hint = ParseHint("node-health:GPU_FAULT:MEDIUM:Xid 79: GPU 3");
  ASSERT_TRUE(hint.ok()) << hint.status();
  EXPECT_THAT(*hint, EqualsProto(R"pb(
    source: "node-health"
    cause: GPU_FAULT
    confidence: MEDIUM
    text: "Xid 79: GPU 3"
  )pb"));
}

TEST(ParseHint, NeedsSourceAndCauseOnly) {
  const auto hint = ParseHint("a:HANG");
  ASSERT_TRUE(hint.ok()) << hint.status();
  EXPECT_THAT(*hint, EqualsProto("source: 'a' cause: HANG"));
  EXPECT_TRUE(ParseHint("a:HANG::text").ok());
}

TEST(ParseHint, RejectsBadHints) {
  const struct {
    const char* text;
    const char* why;
  } kCases[] = {
      {"", "the source is missing"},
      {":HANG", "the source is missing"},
      {"a", "\"\" is not a cause"},
      {"a:hang", "\"hang\" is not a cause"},
      {"a:CAUSE_UNSPECIFIED", "is not a cause"},
      {"a:HANG:SURE", "\"SURE\" is not one of LOW, MEDIUM, HIGH"},
  };
  for (const auto& [text, why] : kCases) {
    const auto hint = ParseHint(text);
    EXPECT_EQ(hint.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(hint.status().message()), HasSubstr(why));
    EXPECT_THAT(std::string(hint.status().message()),
                HasSubstr("expected SOURCE:CAUSE[:CONFIDENCE[:TEXT]]"));
  }
}

}  // namespace
}  // namespace mulligan::cli
