// Reports and requests from several inputs.
#include <string>

#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::EqualsProto;

// Two inputs and the request or error that they make.
struct JoinCase {
  const char* name;
  const char* first;
  const char* then;
  const char* request;
  const char* error = "";
};

class JoinTest : public ::testing::TestWithParam<JoinCase> {};

TEST_P(JoinTest, NeverMixesObjects) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("first", GetParam().first));
  const absl::Status status = builder.Add("then", GetParam().then);
  EXPECT_EQ(status.message(), GetParam().error);
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_THAT(request, EqualsProto(GetParam().request));
}

INSTANTIATE_TEST_SUITE_P(
    Reports, JoinTest,
    ::testing::Values(
        JoinCase{"TwoObjects",
                 R"({"rayJob":{"metadata":{"namespace":"ml","name":"a",
                     "uid":"u"},"status":{"failed":1}}})",
                 R"({"rayJob":{"metadata":{"namespace":"ml","name":"a",
                     "uid":"v"},"status":{"reason":"x"}}})",
                 R"pb(report {
                        ray_job {
                          metadata { namespace: "ml" name: "a" uid: "u" }
                          status { failed: 1 }
                        }
                      })pb",
                 "then: RayJob ml/a: a report takes one RayJob and has RayJob "
                 "ml/a already"},
        JoinCase{"TwoTrainingJobs",
                 R"({"kubeflowJob":{"kind":"TFJob","metadata":{"name":"a"}}})",
                 R"({"kubeflowJob":{"kind":"PyTorchJob",
                     "metadata":{"name":"b"}}})",
                 R"pb(report {
                        kubeflow_job {
                          kind: "TFJob"
                          metadata { name: "a" }
                        }
                      })pb",
                 "then: PyTorchJob b: a report takes one PyTorchJob and has "
                 "TFJob a already"},
        JoinCase{"TheLaterOfOneObject",
                 R"({"rayJob":{"metadata":{"name":"a","uid":"u"},
                     "status":{"failed":1}},"attempt":1,
                     "progress":{"value":3},"exit":{"exitCode":1}})",
                 R"({"rayJob":{"metadata":{"name":"a","uid":"u"},
                     "status":{"reason":"x"}},
                     "progress":{"artifact":"b"}})",
                 R"pb(report {
                        ray_job {
                          metadata { name: "a" uid: "u" }
                          status { reason: "x" }
                        }
                        attempt: 1
                        progress { artifact: "b" }
                        exit { exit_code: 1 }
                      })pb"},
        JoinCase{"TheLaterLedger",
                 R"({"report":{"exit":{}},"ledger":{"attemptsSeen":1,
                     "history":[{"failureId":"f"}]},"recent":[{"failed":1}]})",
                 R"({"report":{"attempt":2},"ledger":{"workloadUid":"w",
                     "history":[{"failureId":"f"}]},"recent":[{"failed":2}]})",
                 R"pb(report {
                        exit {}
                        attempt: 2
                      }
                      ledger {
                        workload_uid: "w"
                        history { failure_id: "f" }
                      }
                      recent { failed: 2 })pb"},
        JoinCase{"Pods", R"({"pods":[{"metadata":{"name":"a"}}]})",
                 R"({"pods":[{"metadata":{"name":"b"}}]})",
                 R"pb(report {
                        pods { metadata { name: "a" } }
                        pods { metadata { name: "b" } }
                      })pb"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::cli
