#include "tests/proto/comments.h"

#include <google/protobuf/descriptor.pb.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::testing::IsEmpty;

TEST(CommentsTest, EveryElementOfTheSchemasIsDocumented) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       ReadFile(MULLIGAN_DESCRIPTOR_SET));
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(bytes));
  const CommentReport report = FindUncommented(set, "mulligan/");
  EXPECT_THAT(report.uncommented, IsEmpty());
  EXPECT_GT(report.elements, 500);
}

}  // namespace
}  // namespace mulligan::testing
