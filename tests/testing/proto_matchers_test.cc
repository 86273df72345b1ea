#include "tests/testing/proto_matchers.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::testing {
namespace {

using google::protobuf::Any;
using google::protobuf::Duration;
using ::testing::HasSubstr;
using ::testing::Not;

Duration MakeDuration(int seconds, int nanos) {
  Duration duration;
  duration.set_seconds(seconds);
  duration.set_nanos(nanos);
  return duration;
}

TEST(ProtoMatchersTest, ComparesWithTextAndWithMessages) {
  const Duration duration = MakeDuration(3, 4);
  EXPECT_THAT(duration, EqualsProto("seconds: 3 nanos: 4"));
  EXPECT_THAT(duration, Not(EqualsProto("seconds: 3")));
  EXPECT_THAT(duration, EqualsProto(MakeDuration(3, 4)));
  EXPECT_THAT(duration, Not(EqualsProto(MakeDuration(3, 5))));
  EXPECT_THAT(duration, Not(EqualsProto(Any())));
}

TEST(ProtoMatchersTest, PartialIgnoresFieldsTheExpectationLeavesOut) {
  const Duration duration = MakeDuration(3, 4);
  EXPECT_THAT(duration, PartiallyEqualsProto("seconds: 3"));
  EXPECT_THAT(duration, Not(PartiallyEqualsProto("seconds: 4")));
}

TEST(ProtoMatchersTest, ExplainsDifferencesAndTextThatDoesNotParse) {
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(
      EqualsProto("seconds: 4").MatchAndExplain(MakeDuration(3, 0), &listener));
  EXPECT_THAT(listener.str(), HasSubstr("modified: seconds: 4 -> 3"));
  listener.Clear();
  EXPECT_FALSE(
      EqualsProto("hours: 4").MatchAndExplain(MakeDuration(3, 0), &listener));
  EXPECT_THAT(listener.str(), HasSubstr("no google.protobuf.Duration (1:"));
}

}  // namespace
}  // namespace mulligan::testing
