// Termination messages are whatever a process wrote. Invalid UTF-8 must not
// lose the report, alone or inside a proto3 request, at any depth.

#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::testing {
namespace {

constexpr char kLatin1[] = "fichier ferm\xE9";
constexpr char kCutOff[] = "Segmentation fault \xF0\x9F\x98";

kubernetes::core::v1::Pod PodWithBadBytes() {
  kubernetes::core::v1::Pod pod;
  (*pod.mutable_metadata()->mutable_annotations())["note\xFF"] = kLatin1;
  pod.mutable_status()->set_message(kLatin1);
  auto* status = pod.mutable_status()->add_container_statuses();
  status->set_name("main");
  auto* terminated = status->mutable_state()->mutable_terminated();
  terminated->set_exit_code(139);
  terminated->set_message(kCutOff);
  return pod;
}

// Debug builds of protobuf's generated code log invalid UTF-8.
class InvalidUtf8Test : public ::testing::Test {
 private:
  const google::protobuf::LogSilencer silencer_;
};

TEST_F(InvalidUtf8Test, PodRoundTrips) {
  const kubernetes::core::v1::Pod pod = PodWithBadBytes();
  kubernetes::core::v1::Pod again;
  ASSERT_TRUE(again.ParseFromString(pod.SerializeAsString()));
  EXPECT_THAT(again, EqualsProto(pod));
  EXPECT_EQ(again.status().container_statuses(0).state().terminated().message(),
            kCutOff);
}

TEST_F(InvalidUtf8Test, ReportRoundTrips) {
  v1::FailureReport report;
  *report.add_pods() = PodWithBadBytes();
  report.add_events()->set_message(kLatin1);
  report.mutable_ray_job()->mutable_status()->set_message(kLatin1);
  report.mutable_job_set()->mutable_status()->add_conditions()->set_message(
      kCutOff);
  v1::FailureReport again;
  ASSERT_TRUE(again.ParseFromString(report.SerializeAsString()));
  EXPECT_THAT(again, EqualsProto(report));
}

// Shows that the tests above are not vacuous.
TEST_F(InvalidUtf8Test, Proto3StringRejectsIt) {
  v1::FailureReport report;
  report.set_failure_id(kLatin1);
  EXPECT_FALSE(v1::FailureReport().ParseFromString(report.SerializeAsString()));
}

}  // namespace
}  // namespace mulligan::testing
