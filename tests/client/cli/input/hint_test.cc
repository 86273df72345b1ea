#include <string>

#include "client/cli/input/inputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::cli {
namespace {

using testing::EqualsProto;
using ::testing::HasSubstr;

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
