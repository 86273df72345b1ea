#include "client/conformance/protos.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::conformance {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Pod = ::mulligan::kubernetes::core::v1::Pod;

TEST(FillFromTest, SkipsNullAndUnknownMembers) {
  const auto pod = MessageFrom<Pod>(
      Json::parse(R"({"spec": null, "status": {"phase": "Failed", "hostIP": "h",
                     "resources": {}, "startTime": "2024-01-01T00:00:00Z"}})"),
      "pod");
  ASSERT_OK(pod);
  EXPECT_THAT(*pod, EqualsProto(R"pb(
    status {
      phase: "Failed"
      host_ip: "h"
      start_time { seconds: 1704067200 }
    })pb"));
}

TEST(FillFromTest, NullIsAnEmptyObject) {
  ASSERT_OK_AND_ASSIGN(const Pod pod, MessageFrom<Pod>(Json(), "pod"));
  EXPECT_THAT(pod, EqualsProto(""));
}

TEST(FillFromTest, KeepsWhatTheJsonDoesNotName) {
  Pod pod;
  pod.mutable_status()->set_phase("Failed");
  ASSERT_OK(FillFrom(Json::parse(R"({"status": {"hostIP": "h"}})"), "p", pod));
  EXPECT_THAT(pod, EqualsProto(R"pb(
                status { phase: "Failed" host_ip: "h" })pb"));
}

TEST(FillFromTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(MessageFrom<Pod>(Json::parse(R"({"status": 3})"), "myPod"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("myPod"), HasSubstr("status"))));
  EXPECT_THAT(MessageFrom<Pod>(Json(3), "myPod"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("myPod")));
}

TEST(MessageJsonTest, UsesKubernetesNames) {
  Pod pod;
  pod.mutable_status()->set_host_ip("h");
  EXPECT_EQ(MessageJson(pod), Json::parse(R"({"status": {"hostIP": "h"}})"));
}

TEST(TimestampTest, RoundTrips) {
  for (const char* text : {"2009-11-10T22:59:59.998Z", "2024-01-01T00:10:00Z",
                           "0001-01-01T00:00:01Z"}) {
    const auto time = TimestampFrom(text, "t");
    ASSERT_OK(time);
    EXPECT_EQ(TimestampJson(*time), text);
  }
}

TEST(TimestampTest, RefusesWhatIsNoTime) {
  EXPECT_THAT(TimestampFrom("yesterday", "t"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("t:")));
  EXPECT_THAT(TimestampFrom(Json(), "t"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("null")));
}

TEST(DurationTest, ReadsSecondsAndGoDurations) {
  const auto seconds = [](const Json& json) {
    const auto duration = DurationFrom(json, "d");
    return duration.ok() ? SecondsJson(*duration) : Json("error");
  };
  EXPECT_EQ(seconds(90), 90);
  EXPECT_EQ(seconds(0.5), 0.5);
  EXPECT_EQ(seconds("1m30s"), 90);
  EXPECT_EQ(seconds("250ms"), 0.25);
  EXPECT_EQ(seconds("-3s"), -3);
  EXPECT_EQ(seconds("soon"), "error");
  EXPECT_EQ(seconds(Json()), "error");
}

TEST(CheckOnlyMembersTest, NamesTheUnknownMember) {
  EXPECT_OK(CheckOnlyMembers(Json::parse(R"({"a": 1})"), "in", {"a", "b"}));
  EXPECT_THAT(CheckOnlyMembers(Json::parse(R"({"c": 1})"), "in", {"a", "b"}),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("in.c")));
}

}  // namespace
}  // namespace mulligan::conformance
