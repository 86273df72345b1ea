// Containers that cannot start: waiting reasons with messages of which
// tests/testdata/field_samples.jsonl has no sample.
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

struct WaitingCase {
  const char* name;
  const char* reason;
  const char* message;
  v1::Cause cause;
};

constexpr WaitingCase kWaitingCases[] = {
    {"InvalidImageNameFailedToApplyDefaultImageTag", "InvalidImageName",
     "Failed to apply default image tag \"nginx:\": couldn't parse image "
     "reference",
     v1::IMAGE_INVALID},
    {"ErrImagePullFailedToDoRequestHeadHttps", "ErrImagePull",
     "failed to do request: Head "
     "\"https://registry-1.docker.io/v2/library/busybox/manifests/latest\": "
     "dial tcp: lookup registry-1.docker.io on 10.0.0.2:53: read udp: i/o "
     "timeout",
     v1::IMAGE_PULL_TRANSIENT},
    {"ErrImagePullNetHttpTLSHandshakeTimeout", "ErrImagePull",
     "net/http: TLS handshake timeout", v1::IMAGE_PULL_TRANSIENT},
    {"ErrImagePullReceivedUnexpectedHTTPStatus500Internal", "ErrImagePull",
     "received unexpected HTTP status: 500 Internal Server Error",
     v1::IMAGE_PULL_TRANSIENT},
    {"CreateContainerErrorErrorResponseFromDaemonInvalidMount",
     "CreateContainerError",
     "Error response from daemon: invalid mount config for type \"bind\": bind "
     "source path does not exist: /data",
     v1::CONFIG_MISSING},
    {"RunContainerErrorFailedToCreateShimTaskOCI", "RunContainerError",
     "failed to create shim task: OCI runtime create failed: runc create "
     "failed: unable to start container process: exec: \"./run.sh\": "
     "permission denied: unknown",
     v1::CONFIG_MISSING},
};

class Waiting : public ::testing::TestWithParam<WaitingCase> {};

TEST_P(Waiting, NamesTheCause) {
  const WaitingCase& param = GetParam();
  const v1::Diagnosis diagnosis =
      Diagnose(Pending(Waits(param.reason, param.message)));
  EXPECT_EQ(diagnosis.cause(), param.cause) << diagnosis.DebugString();
}

// "Not late" is certain if the time is known and the whole report understood.
struct StartCase {
  const char* name;
  const char* report;
  v1::Diagnosis::Confidence confidence;
};

TEST(Starting, IsCertainWhereTheReportIsUnderstood) {
  constexpr StartCase kCases[] = {
      {"in time", R"(observed_at { seconds: 1060 })", v1::Diagnosis::HIGH},
      {"next to a warning that no table knows",
       R"(events { type: "Warning" reason: "Custom" message: "no quoll today"
            involved_object { kind: "Pod" name: "p" } })",
       v1::Diagnosis::LOW},
      {"next to a warning of the kubelet that no table knows",
       R"(events { type: "Warning" reason: "FailedSync" message: "no quoll"
            involved_object { kind: "Pod" name: "p" } })",
       v1::Diagnosis::LOW},
      {"next to a normal event",
       R"(events { type: "Normal" reason: "Custom" message: "no quoll today"
            involved_object { kind: "Pod" name: "p" } })",
       v1::Diagnosis::HIGH},
  };
  for (const StartCase& test : kCases) {
    const v1::Diagnosis diagnosis = Diagnose(std::string(R"(
        pods { metadata { name: "p" creation_timestamp { seconds: 1000 } }
               status { phase: "Pending" } })") +
                                             test.report);
    EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED) << test.name;
    EXPECT_EQ(diagnosis.confidence(), test.confidence) << test.name;
  }
  EXPECT_EQ(Diagnose(R"(pods { status { phase: "Pending" } })").confidence(),
            v1::Diagnosis::MEDIUM);
}

// An operator's status of its pods may be old; a pod's own is not.
TEST(Alive, IsCertainWhereAPodRuns) {
  const std::string application = R"(
      spark_application { metadata { name: "s" }
        status { application_state { state: "RUNNING" } } })";
  EXPECT_EQ(Diagnose(application).confidence(), v1::Diagnosis::MEDIUM);
  EXPECT_EQ(Diagnose(application + R"(
      pods { metadata { name: "s-driver" } status { phase: "Running"
        container_statuses { name: "main" state { running {} } } } })")
                .confidence(),
            v1::Diagnosis::HIGH);
}

INSTANTIATE_TEST_SUITE_P(, Waiting, ::testing::ValuesIn(kWaitingCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
