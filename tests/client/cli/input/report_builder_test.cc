#include "client/cli/input/report_builder.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/meta/v1/unknown.pb.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct KindCase {
  const char* name;
  std::string text;
  const char* report;
};

class KindTest : public ::testing::TestWithParam<KindCase> {};

TEST_P(KindTest, GoesToItsField) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", GetParam().text));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_THAT(request.report(), EqualsProto(GetParam().report));
  EXPECT_THAT(builder.warnings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Json, KindTest,
    ::testing::Values(
        KindCase{"Pod",
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",
                     "managedFields":[{"fieldsV1":{"f:x":{}}}],
                     "creationTimestamp":null},
                     "spec":{"containers":[{"name":"c","resources":
                       {"limits":{"cpu":"500m","memory":1}}}]},
                     "status":{"phase":"Failed"}})",
                 R"pb(pods {
                        metadata { name: "a" }
                        spec {
                          containers {
                            name: "c"
                            resources {
                              limits {
                                key: "cpu"
                                value { string_value: "500m" }
                              }
                              limits {
                                key: "memory"
                                value { number_value: 1 }
                              }
                            }
                          }
                        }
                        status { phase: "Failed" }
                      })pb"},
        KindCase{"PodWithoutApiVersion",
                 R"({"kind":"Pod","metadata":{"name":"a"}})",
                 R"pb(pods { metadata { name: "a" } })pb"},
        KindCase{"Job", R"({"apiVersion":"batch/v1","kind":"Job","spec":
                            {"backoffLimit":0}})",
                 R"pb(jobs { spec { backoff_limit: 0 } })pb"},
        KindCase{"Node", R"({"apiVersion":"v1","kind":"Node","metadata":
                             {"name":"n"}})",
                 R"pb(nodes { metadata { name: "n" } })pb"},
        KindCase{"CoreEvent",
                 R"({"apiVersion":"v1","kind":"Event","reason":"Evicted",
                     "message":"low","involvedObject":{"name":"a"},
                     "eventTime":null})",
                 R"pb(events {
                        involved_object { name: "a" }
                        reason: "Evicted"
                        message: "low"
                      })pb"},
        KindCase{"NewEvent",
                 R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
                     "eventTime":"2026-01-31T08:00:00.123456Z",
                     "reason":"Evicted","note":"low \"disk\"",
                     "regarding":{"kind":"Pod","name":"a"},
                     "reportingController":"kubelet",
                     "deprecatedSource":{"component":"kubelet"},
                     "deprecatedFirstTimestamp":"2026-01-31T08:00:00Z",
                     "deprecatedLastTimestamp":null,"deprecatedCount":3})",
                 R"pb(events {
                        involved_object { kind: "Pod" name: "a" }
                        reason: "Evicted"
                        message: "low \"disk\""
                        source { component: "kubelet" }
                        first_timestamp { seconds: 1769846400 }
                        count: 3
                        event_time { seconds: 1769846400 nanos: 123456000 }
                        reporting_component: "kubelet"
                      })pb"},
        KindCase{"JobSet", R"({"apiVersion":"jobset.x-k8s.io/v1alpha2",
                               "kind":"JobSet","metadata":{"name":"s"}})",
                 R"pb(job_set {
                        api_version: "jobset.x-k8s.io/v1alpha2"
                        kind: "JobSet"
                        metadata { name: "s" }
                      })pb"},
        KindCase{"RayJob", R"({"apiVersion":"ray.io/v1","kind":"RayJob",
                               "status":{"jobStatus":"FAILED","failed":1}})",
                 R"pb(ray_job {
                        api_version: "ray.io/v1"
                        kind: "RayJob"
                        status { job_status: "FAILED" failed: 1 }
                      })pb"},
        KindCase{"RayCluster", R"({"apiVersion":"ray.io/v1",
                                   "kind":"RayCluster"})",
                 R"pb(ray_cluster {
                        api_version: "ray.io/v1"
                        kind: "RayCluster"
                      })pb"},
        KindCase{"TrainJob", R"({"apiVersion":"trainer.kubeflow.org/v1alpha1",
                                 "kind":"TrainJob","spec":{"suspend":false}})",
                 R"pb(train_job {
                        api_version: "trainer.kubeflow.org/v1alpha1"
                        kind: "TrainJob"
                        spec { suspend: false }
                      })pb"},
        KindCase{"OlderWorkload", R"({"apiVersion":"kueue.x-k8s.io/v1beta1",
                                      "kind":"Workload"})",
                 R"pb(kueue_workload {
                        api_version: "kueue.x-k8s.io/v1beta1"
                        kind: "Workload"
                      })pb"},
        KindCase{"SparkApplication",
                 R"({"apiVersion":"sparkoperator.k8s.io/v1beta2",
                     "kind":"SparkApplication"})",
                 R"pb(spark_application {
                        api_version: "sparkoperator.k8s.io/v1beta2"
                        kind: "SparkApplication"
                      })pb"},
        KindCase{"PyTorchJob", R"({"apiVersion":"kubeflow.org/v1",
                                   "kind":"PyTorchJob"})",
                 R"pb(kubeflow_job {
                        api_version: "kubeflow.org/v1"
                        kind: "PyTorchJob"
                      })pb"},
        KindCase{"Status",
                 R"({"apiVersion":"v1","kind":"Status","status":"Failure",
                     "code":403,"reason":"Forbidden","message":"no \"way\"",
                     "details":{"name":"a","kind":"pods"}})",
                 R"pb(creation_error {
                        phase: CREATE
                        http_code: 403
                        reason: "Forbidden"
                        message: "no \"way\""
                        kind: "pods"
                      })pb"},
        KindCase{"StatusWithoutDetails",
                 R"({"kind":"Status","status":"Failure","message":"x"})",
                 R"pb(creation_error { phase: CREATE message: "x" })pb"},
        KindCase{"ListOfKinds",
                 R"({"apiVersion":"v1","kind":"List","items":[
                     {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}},
                     {"apiVersion":"batch/v1","kind":"Job"}]})",
                 R"pb(pods { metadata { name: "a" } }
                      jobs {})pb"},
        KindCase{"TypedList",
                 R"({"kind":"PodList","apiVersion":"v1","metadata":{},
                     "items":[{"metadata":{"name":"a"}},
                              {"metadata":{"name":"b"}}]})",
                 R"pb(pods { metadata { name: "a" } }
                      pods { metadata { name: "b" } })pb"},
        KindCase{"TypedEventList",
                 R"({"kind":"EventList","apiVersion":"events.k8s.io/v1",
                     "items":[{"note":"x"}]})",
                 R"pb(events { message: "x" })pb"},
        KindCase{"Array", R"([{"kind":"Pod"},[{"kind":"Job"}]])",
                 R"pb(pods {}
                      jobs {})pb"},
        KindCase{"FailureReport",
                 R"({"failureId":"f","creation_error":{"phase":"BUILD"},
                     "nosuchfield":1})",
                 R"pb(failure_id: "f"
                      creation_error { phase: BUILD })pb"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Yaml, KindTest,
    ::testing::Values(
        KindCase{"Documents",
                 "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"1e3\"\n"
                 "  labels: {n: \"007\"}\nstatus:\n"
                 "  startTime: 2026-01-31T08:00:00Z\n  reason: null\n"
                 "---\nkind: Job\nspec:\n  backoffLimit: 3\n",
                 R"pb(pods {
                        metadata {
                          name: "1e3"
                          labels { key: "n" value: "007" }
                        }
                        status { start_time { seconds: 1769846400 } }
                      }
                      jobs { spec { backoff_limit: 3 } })pb"},
        KindCase{"List", "kind: List\nitems:\n- kind: Pod\n- kind: Node\n",
                 R"pb(pods {}
                      nodes {})pb"}),
    [](const auto& test) { return test.param.name; });

TEST(ReportBuilderTest, JoinsInputs) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("a", R"({"kind":"Pod","metadata":{"name":"a"}})"));
  ASSERT_OK(builder.Add("b", R"({"report":{"attempt":2},"policy":"p"})"));
  ASSERT_OK(builder.Add("c", "kind: Pod\nmetadata: {name: c}\n"));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_THAT(request, EqualsProto(R"pb(
                report {
                  attempt: 2
                  pods { metadata { name: "a" } }
                  pods { metadata { name: "c" } }
                }
                policy: "p")pb"));
}

TEST(ReportBuilderTest, MergesEqualObjects) {
  ReportBuilder builder;
  ASSERT_OK(
      builder.Add("first", R"({"kind":"Pod","metadata":{"name":"a","uid":"u"},
                   "status":{"phase":"Running"}})"));
  ASSERT_OK(builder.Add("then", R"({"kind":"List","items":[
                   {"kind":"Pod","metadata":{"name":"a","uid":"u"},
                    "status":{"phase":"Failed"}},
                   {"kind":"Job","metadata":{"name":"a","uid":"u"}},
                   {"kind":"Pod","metadata":{"name":"b"}},
                   {"kind":"Pod","metadata":{"name":"b"}}]})"));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  ASSERT_EQ(request.report().pods_size(), 3);
  EXPECT_EQ(request.report().pods(0).status().phase(), "Failed");
  EXPECT_EQ(request.report().jobs_size(), 1);
  EXPECT_THAT(builder.warnings(), ElementsAre(HasSubstr("given twice")));
}

TEST(ReportBuilderTest, WarnsAboutIgnoredObjects) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"kind":"List","items":[null,
      {"kind":"Pod","metadata":{"name":"a"}},
      {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}},
      {"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job"},
      {"kind":"RayJob"},{"kind":"RayJob","metadata":{"name":"second"}},
      {"kind":"Status","status":"Success"},
      {"kind":"PodList"}]} null)"));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_THAT(
      builder.warnings(),
      ElementsAre("in: List: ignored items[0], it is not an object",
                  StartsWith("in: ConfigMap c: ignored, a report takes Pod, "),
                  StartsWith("in: Job: ignored, a report takes "),
                  "in: Status: ignored, it reports a success",
                  StartsWith("in: PodList: has no items: "),
                  "in: ignored a null in place of an object",
                  "in: RayJob second: ignored, a report takes one RayJob and "
                  "has it already"));
  EXPECT_THAT(request.report().pods(), SizeIs(1));
  EXPECT_THAT(request.report().jobs(), IsEmpty());
}

TEST(ReportBuilderTest, WarnsAboutUnknownEnumNames) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"creationError":{"phase":"build"}})"));
  EXPECT_THAT(builder.warnings(),
              ElementsAre("in: creationError.phase: \"build\" is ignored, it "
                          "is not one of BUILD, CREATE"));
}

struct Refused {
  const char* name;
  std::string text;
  const char* message;
};

class RefusedInputTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedInputTest, IsRejectedByFieldAndForm) {
  ReportBuilder builder;
  EXPECT_THAT(builder.Add("in", GetParam().text),
              StatusIs(absl::StatusCode::kInvalidArgument, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedInputTest,
    ::testing::Values(
        Refused{"WrongType",
                R"({"kind":"Pod","metadata":{"name":"a"},"status":
                   {"containerStatuses":[{"restartCount":"many"}]}})",
                "in: Pod a: status.containerStatuses[0].restartCount: "
                "\"many\" is not a 32-bit integer"},
        Refused{"BadTime", R"({"kind":"Pod","status":{"startTime":"noon"}})",
                "in: Pod: status.startTime: \"noon\" is not a timestamp such "
                "as \"2026-01-31T08:00:00Z\""},
        Refused{
            "BadDuration", R"({"progress":{"healthyFor":"an hour"}})",
            "in: progress.healthyFor: \"an hour\" is not a duration such as "
            "\"30s\""},
        Refused{"ObjectForScalar",
                R"({"kind":"Pod","status":{"phase":{"a":1}}})",
                "in: Pod: status.phase: found an object, expected a "
                "single value"},
        Refused{"ScalarForObject", R"({"kind":"Job","status":"Failed"})",
                "in: Job: status: \"Failed\" is not an object"},
        Refused{"NoKind", R"({"metadata":{"name":"a"}})",
                "in: found an object without kind, expected a Kubernetes "
                "object, a FailureReport or a DecideRequest"},
        Refused{"Scalar", "words",
                "in: found \"words\", expected an object with kind and "
                "metadata"},
        Refused{"Binary", std::string("\x0a\x02\x08\x01\0\0", 6),
                "in: is binary data, expected JSON, YAML, or the protobuf of "
                "a Pod or Job"},
        Refused{"ListAmongPods", R"({"pods":[{"kind":"List","items":[]}]})",
                "in: pods[0]: kind is \"List\", expected Pod"},
        Refused{"ObjectForList", R"({"report":{"pods":{"kind":"Pod"}}})",
                "in: report.pods: found an object, expected a list"},
        Refused{"TwoPolicies",
                R"({"report":{},"policy":"a","inlinePolicy":{}})",
                "in: inlinePolicy: conflicts with another field, "
                "expected at most one of policy, inlinePolicy"},
        Refused{"EmptyEnvelope", std::string("k8s\0", 4),
                "in: the Kubernetes envelope names no kind: expected that of "
                "a Pod, Job, Node or Event (v1) behind the bytes 6b 38 73 00"},
        Refused{"DamagedEnvelope", std::string("k8s\0\xff\xff", 6),
                "in: the Kubernetes envelope is damaged: expected a "
                "runtime.Unknown message after the bytes 6b 38 73 00"}),
    [](const auto& test) { return test.param.name; });

TEST(ReportBuilderTest, RejectsInputWithoutUsableObjects) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"kind":"Secret","metadata":{"name":"s"}})"));
  EXPECT_THAT(builder.Build(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("nothing to explain"),
                             HasSubstr("in: Secret s: ignored"))));
}

TEST(ReportBuilderTest, ExplainsAnEmptyList) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"kind":"List","items":[]})"));
  EXPECT_THAT(builder.Build(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "there is nothing to explain: in: List: has no items: "
                       "does the name, label or namespace asked for exist?"));
}

TEST(ReportBuilderTest, WarnsOncePerIgnoredKind) {
  ReportBuilder builder;
  for (const char* object : {R"({"kind":"Secret","metadata":{"name":"a"}})",
                             R"({"kind":"Service","metadata":{"name":"web"}})",
                             R"({"kind":"Secret","metadata":{"name":"b"}})",
                             R"({"kind":"Secret","metadata":{"name":"c"}})"}) {
    ASSERT_OK(builder.Add("in", object));
  }
  EXPECT_THAT(
      builder.warnings(),
      ElementsAre(HasSubstr("in: Secret a and 2 more: ignored, a report takes"),
                  HasSubstr("in: Service web: ignored, a report takes")));
}

TEST(ReportBuilderTest, ReadsProtobufWithAndWithoutEnvelope) {
  kubernetes::core::v1::Pod pod;
  pod.mutable_metadata()->set_name("a");
  pod.mutable_status()->set_phase("Failed");
  pod.mutable_status()->set_message("\xff");
  kubernetes::batch::v1::Job job;
  job.mutable_metadata()->set_name("j");
  job.mutable_spec()->mutable_template_();
  kubernetes::meta::v1::Unknown envelope;
  envelope.mutable_type_meta()->set_api_version("v1");
  envelope.mutable_type_meta()->set_kind("Pod");
  envelope.set_raw(pod.SerializeAsString());
  // Bare messages of this size have no zero byte; real ones always do.
  pod.mutable_status()->set_host_ip(std::string(1, '\0'));
  job.mutable_metadata()->set_namespace_(std::string(1, '\0'));

  ReportBuilder builder;
  ASSERT_OK(
      builder.Add("e", std::string("k8s\0", 4) + envelope.SerializeAsString()));
  ASSERT_OK(builder.Add("p", pod.SerializeAsString()));
  ASSERT_OK(builder.Add("j", job.SerializeAsString()));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  ASSERT_THAT(request.report().pods(), SizeIs(2));
  EXPECT_EQ(request.report().pods(0).status().message(), "\xff");
  EXPECT_EQ(request.report().pods(1).metadata().name(), "a");
  ASSERT_THAT(request.report().jobs(), SizeIs(1));
}

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
