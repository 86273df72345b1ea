#include "tests/proto/comments.h"

#include <google/protobuf/descriptor.pb.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/proto/schema_text.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(CommentsTest, EveryElementOfTheSchemasIsDocumented) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       ReadFile(MULLIGAN_DESCRIPTOR_SET));
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(bytes));
  const CommentReport report = FindUncommented(set, "mulligan/");
  EXPECT_THAT(report.uncommented, IsEmpty());
  EXPECT_GT(report.elements, 500);
}

TEST(CommentsTest, FindsEveryKindOfUndocumentedElement) {
  const CommentReport report = FindUncommented(ParseSchema(R"(
syntax = "proto3";
message M {
  string field = 1;
  map<string, string> labels = 2;
  message Inner {}
  enum E { ZERO = 0; }
}
service S { rpc Call(M) returns (M); }
)"),
                                               "");
  EXPECT_THAT(report.uncommented,
              UnorderedElementsAre("M", "M.field", "M.labels", "M.Inner", "M.E",
                                   "M.ZERO", "S", "S.Call"));
  EXPECT_EQ(report.elements, 8);
}

TEST(CommentsTest, LeadingAndTrailingCommentsCountAndBlankOnesDoNot) {
  const CommentReport report = FindUncommented(ParseSchema(R"(
syntax = "proto3";
// M is documented.
message M {
  string trailing = 1;  // Documented.
  //
  string blank = 2;
}
)"),
                                               "");
  EXPECT_THAT(report.uncommented, UnorderedElementsAre("M.blank"));
}

TEST(CommentsTest, LooksOnlyAtFilesWithThePrefix) {
  const CommentReport report = FindUncommented(
      ParseSchema("syntax = \"proto3\"; message M {}"), "mulligan/");
  EXPECT_EQ(report.elements, 0);
}

}  // namespace
}  // namespace mulligan::testing
