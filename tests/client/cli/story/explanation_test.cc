// Explanations of objects, as text and as a page.
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/input/report_builder.h"
#include "client/cli/print/html.h"
#include "client/cli/print/human.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/time_util.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::google::protobuf::util::TimeUtil;
using ::testing::HasSubstr;
using ::testing::Not;

// The explanation at 2026-11-03 09:10:00 UTC.
struct Pages {
  std::string text;
  std::string html;
};

Pages Explain(const std::string& objects) {
  ReportBuilder builder;
  EXPECT_OK(builder.Add("in", objects));
  absl::StatusOr<v1::DecideRequest> request = builder.Build();
  EXPECT_OK(request);
  if (!request.ok()) return {};
  request->set_compare_native(true);
  TimeUtil::FromString("2026-11-03T09:10:00Z",
                       request->mutable_report()->mutable_observed_at());
  std::istringstream none;
  const absl::StatusOr<LoadedPolicies> policies = LoadPolicyPaths({}, none);
  EXPECT_OK(policies);
  const absl::StatusOr<v1::DecideResponse> response =
      DecideNow(*request, *policies->set);
  EXPECT_OK(response);
  if (!response.ok()) return {};
  AnswerView told;
  told.story = MakeStory(*request, *response, "");
  told.report = request->report();
  told.response = *response;
  return {FormatForPeople(told.story, told.response, {.details = true}),
          HtmlPage(told)};
}

// Joins wrapped lines.
std::string Joined(const std::string& text) {
  std::string joined;
  for (const char byte : text) {
    const bool space = byte == '\n' || byte == ' ';
    if (space && (joined.empty() || joined.back() == ' ')) continue;
    joined.push_back(space ? ' ' : byte);
  }
  return joined;
}

// Returns a pod of Job train with a container "main"; `spec` and `state` are
// members of the container and of its status.
std::string Pod(const std::string& name, const std::string& state,
                const std::string& spec = "",
                const std::string& phase = "Failed",
                const std::string& more = "") {
  return absl::StrCat(
      R"({"kind":"Pod","metadata":{"name":")", name,
      R"(","namespace":"ml","uid":"u-)", name,
      R"(","ownerReferences":[{"kind":"Job","name":"train","controller":true}]},
      "spec":{"nodeName":"n1","containers":[{"name":"main")",
      spec, "}]", more, R"(},"status":{"phase":")", phase,
      R"(","startTime":"2026-11-03T09:00:00Z","containerStatuses":[{"name":"main",)",
      state, "}]}}");
}

std::string Ended(int code, const std::string& message,
                  const std::string& reason = "Error") {
  return absl::StrCat(R"("state":{"terminated":{"exitCode":)", code,
                      R"(,"reason":")", reason, R"(","message":")", message,
                      R"(","startedAt":"2026-11-03T09:00:00Z",
                      "finishedAt":"2026-11-03T09:07:33Z"}})");
}

std::string Gang(int size, const std::string& state,
                 const std::string& spec = "") {
  std::string pods;
  for (int i = 0; i < size; ++i) {
    pods += Pod(absl::StrCat("train-", i), state, spec);
  }
  return pods;
}

constexpr char kLostPeer[] =
    "ncclRemoteError: a remote process exiting prematurely.";

struct ExplanationRow {
  const char* name;
  std::string objects;
  // Parts of the text, with lines joined.
  std::vector<std::string> in_text;
  std::vector<std::string> not_in_text;
  // Parts of the page.
  std::vector<std::string> in_page = {};
};

class ExplanationTest : public ::testing::TestWithParam<ExplanationRow> {};

TEST_P(ExplanationTest, IsInTextAndOnThePage) {
  const Pages pages = Explain(GetParam().objects);
  const std::string text = Joined(pages.text);
  for (const std::string& part : GetParam().in_text) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  for (const std::string& part : GetParam().not_in_text) {
    EXPECT_THAT(text, Not(HasSubstr(part)));
  }
  for (const std::string& part : GetParam().in_page) {
    EXPECT_THAT(pages.html, HasSubstr(part));
  }
}

const ExplanationRow kGangs[] = {
    {"AllLostAPeer",
     Gang(3, Ended(134, kLostPeer)),
     {"The workload, container main: another member of the gang died or left "
      "(exit code 134); none of the 3 members that failed began it",
      "Do first read the logs of its members, first: kubectl logs -n ml "
      "train-0 -c main; kubectl logs -n ml train-1 -c main; with "
      "terminationMessagePolicy: FallbackToLogsOnError the next report "
      "includes their ends"},
     {"pod train-0,"}},
    {"NoneSaysWhy",
     Gang(2, Ended(1, "")) +
         R"({"kind":"Job","metadata":{"name":"train","namespace":"ml"},
         "spec":{"parallelism":8},"status":{}})",
     {"2 of 2 members that failed ended so at once, none says why",
      "6 members are not in the report: include them"},
     {"Pod train-0", "away from n1"}},
    {"LogsAreReported",
     Gang(2, Ended(1, ""),
          R"(,"terminationMessagePolicy":"FallbackToLogsOnError")"),
     {"kubectl logs -n ml train-1 -c main Mulligan"},
     {"FallbackToLogsOnError"}},
    {"OneDiesAndOthersReportIt",
     Gang(2, Ended(134, kLostPeer)) + Pod("bad", Ended(1, "KeyError: 'x'")),
     {"Pod bad, container main: KeyError: 'x'",
      "Cascade 2 died because of it, not charged: train-0, train-1; pod "
      "train-0 "
      "says: ncclRemoteError: a remote process exiting prematurely."},
     {},
     {"2 members, not charged; pod train-0 says: ncclRemoteError"}},
};
INSTANTIATE_TEST_SUITE_P(Gang, ExplanationTest, ::testing::ValuesIn(kGangs),
                         [](const auto& test) { return test.param.name; });

constexpr char kMount[] =
    R"(,"volumeMounts":[{"name":"out","mountPath":"/out"}])";
constexpr char kClaim[] =
    R"(,"volumes":[{"name":"out","persistentVolumeClaim":{"claimName":"results"}}])";
constexpr char kFull[] =
    "OSError: [Errno 28] No space left on device: '/out/a'";

const ExplanationRow kAmounts[] = {
    {"FullClaim",
     Pod("a", Ended(1, kFull), kMount, "Failed", kClaim),
     {"Do first expand persistent volume claim results",
      "Mulligan FAIL the Job; not counted"},
     {"ephemeral-storage"}},
    {"DiskWithoutRequest",
     Pod("a", Ended(1, "write error: No space left on device")),
     {"Do first set request and limit of ephemeral-storage for container main: "
      "the report shows none",
      "retry the pod at once with more ephemeral-storage",
      "Next keep the place in the queue; more ephemeral-storage for container "
      "main"},
     {"x2"}},
    {"DiskWithRequest",
     Pod("a", Ended(1, "write error: No space left on device"),
         R"(,"resources":{"requests":{"ephemeral-storage":"1Gi"}})"),
     {"Do first raise the ephemeral-storage request of container main from 1Gi "
      "to 2Gi",
      "with ephemeral-storage x2"},
     {}},
    {"MemoryWithoutLimit",
     Pod("a", Ended(137, "", "OOMKilled")),
     {"Do first set request and limit of memory for container main: the report "
      "shows none",
      "retry the pod at once with more memory"},
     {"memory x1.5 for"}},
    {"MemoryWithLimit",
     Pod("a", Ended(137, "", "OOMKilled"),
         R"(,"resources":{"limits":{"memory":"4Gi"}})"),
     {"Do first raise the memory limit of container main from 4Gi to 6Gi",
      "memory x1.5 for container main"},
     {}},
};
INSTANTIATE_TEST_SUITE_P(Amount, ExplanationTest, ::testing::ValuesIn(kAmounts),
                         [](const auto& test) { return test.param.name; });

constexpr char kLoops[] =
    R"("restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
    "lastState":{"terminated":{"exitCode":1,"reason":"Error",
    "startedAt":"2026-11-03T09:00:00Z","finishedAt":"2026-11-03T09:07:33Z"}})";
constexpr char kWaits[] =
    R"("state":{"waiting":{"reason":"CreateContainerConfigError",
    "message":"secret \"pg\" not found"}})";

const ExplanationRow kTimes[] = {
    {"RestartedInPlace",
     Pod("a", kLoops, "", "Running"),
     {"Restarts container main 7 times, in place",
      "kubectl logs -n ml a -c main --previous"},
     {},
     {"<dt>Restarts</dt><dd>container main 7 times, in place</dd>"}},
    {"RestartedInAGang",
     Pod("a", kLoops, "", "Running") + Pod("b", Ended(1, "")),
     {"Restarts in place, in 1 of 2 pods; most often pod a, container main 7 "
      "times"},
     {}},
    {"NotRestarted", Pod("a", Ended(1, "")), {}, {"Restarts", "--previous"}},
    {"StillWaiting",
     Pod("a", kWaits, "", "Pending"),
     {">1 still waiting"},
     {"09:10:00"},
     {"<span>still waiting</span>"}},
    {"EndOfTheDelay",
     Pod("a", R"("state":{}},{"name":"b")", "", "Pending") +
         R"({"kind":"Event","involvedObject":{"kind":"Pod","name":"a"},
         "reason":"FailedScheduling","type":"Warning",
         "lastTimestamp":"2026-11-03T09:05:00Z",
         "message":"0/9 nodes are available: 9 Insufficient cpu."})",
     {"WAIT, ask again in ", " (at 09:1"},
     {}},
};
INSTANTIATE_TEST_SUITE_P(Time, ExplanationTest, ::testing::ValuesIn(kTimes),
                         [](const auto& test) { return test.param.name; });

constexpr char kJobSet[] =
    R"({"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1",
  "metadata":{"name":"pre","namespace":"ml"},
  "spec":{"failurePolicy":{"maxRestarts":3}},"status":{"restarts":4,
  "restartsCountTowardsMax":3,"conditions":[{"type":"Failed","status":"True",
  "reason":"ReachedMaxRestarts","message":"m"}]}})";
constexpr char kPyTorchJob[] = R"({"kind":"PyTorchJob",
  "apiVersion":"kubeflow.org/v1","metadata":{"name":"bert","namespace":"ml"},
  "spec":{"runPolicy":{"backoffLimit":3},"pytorchReplicaSpecs":{"Worker":{}}},
  "status":{"conditions":[{"type":"Failed","status":"True",
  "reason":"PyTorchJobFailed","message":"it has reached the specified backoff limit"}]}})";

std::string Spark(const std::string& status) {
  return absl::StrCat(R"({"kind":"SparkApplication",
    "apiVersion":"sparkoperator.k8s.io/v1beta2",
    "metadata":{"name":"agg","namespace":"ml"},"spec":{"driver":{"memory":"2g"},
    "restartPolicy":{"type":"OnFailure","onFailureRetries":3,
    "onSubmissionFailureRetries":1}},"status":{)",
                      status, "}}");
}

std::string RayJob(const std::string& spec, const std::string& message) {
  return absl::StrCat(R"({"kind":"RayJob","apiVersion":"ray.io/v1",
    "metadata":{"name":"tune","namespace":"ml"},"spec":{"backoffLimit":2)",
                      spec, R"(},"status":{"jobStatus":"FAILED","failed":3,
    "jobDeploymentStatus":"Failed","reason":"AppFailed",
    "rayClusterName":"tune-x1","message":")",
                      message, R"("}})");
}

const ExplanationRow kOperators[] = {
    {"JobSetWithoutRestartsLeft",
     kJobSet,
     {"JobSet FAIL the JobSet; maxRestarts 3 of 3 used"},
     {"not counted"}},
    {"TrainingJobWithoutRetriesLeft",
     kPyTorchJob,
     {"PyTorchJob FAIL the workload; backoffLimit 3 of 3 used"},
     {}},
    {"SparkWithoutRetriesLeft",
     Spark(R"("executionAttempts":4,"submissionAttempts":1,
       "driverInfo":{"podName":"agg-driver"},"applicationState":{
       "state":"FAILED","errorMessage":"driver container failed with ExitCode: 3, Reason: Error"})"),
     {"SparkApplication agg: driver container failed with ExitCode: 3, Reason: "
      "Error (",
      "; run 4 of 4",
      "kubectl logs -n ml agg-driver -c spark-kubernetes-driver",
      "SparkApplication FAIL the workload; onFailureRetries 3 of 3 used"},
     {}},
    {"SparkDriverOutOfMemory",
     Spark(R"("executionAttempts":1,"applicationState":{"state":"FAILED",
       "errorMessage":"driver container failed with ExitCode: 137, Reason: OOMKilled"})"),
     {"Do first raise spec.driver.memory, now 2g, or "
      "spec.driver.memoryOverhead where it is not the heap"},
     {}},
    {"SparkSubmissionFailed",
     Spark(R"("submissionAttempts":2,"applicationState":{"state":"FAILED",
       "errorMessage":"failed to run spark-submit: no such jar"})"),
     {"; submission 2 of 2",
      "SparkApplication FAIL the workload; onSubmissionFailureRetries 1 of 1 "
      "used"},
     {}},
    {"RayJobWithMessage",
     RayJob("",
            "Job failed:\\nTraceback (most recent call last):\\nValueError: "
            "bad lr"),
     {"RayJob tune: ValueError: bad lr (a mistake in the program); attempt 3 "
      "of "
      "3",
      "read the end of the log: kubectl logs -n ml job/tune"},
     {}},
    {"RayJobInHttpMode",
     RayJob(R"(,"submissionMode":"HTTPMode")",
            "Job entrypoint command failed with exit code 1"),
     {"RayJob tune: Job entrypoint command failed with exit code 1 (Ray says",
      "kubectl logs -n ml -l ray.io/cluster=tune-x1,ray.io/node-type=head"},
     {}},
    {"KueueNextToTheJob",
     R"({"kind":"Job","metadata":{"name":"train","namespace":"ml"},
       "spec":{"suspend":true},"status":{}}
       {"kind":"Workload","apiVersion":"kueue.x-k8s.io/v1beta1",
       "metadata":{"name":"job-train","namespace":"ml"},"spec":{"queueName":"q"},
       "status":{"conditions":[{"type":"Evicted","status":"True",
       "reason":"Preempted","message":"m"}]}})",
     {"Workload Job ml/train", "Kueue RETRY the workload at once"},
     {"Workload RETRY"}},
};
INSTANTIATE_TEST_SUITE_P(Operator, ExplanationTest,
                         ::testing::ValuesIn(kOperators),
                         [](const auto& test) { return test.param.name; });

const ExplanationRow kWords[] = {
    {"QuotedAsEvidence",
     Pod("a", Ended(3, "INFO go\\nERROR shard 9: no header")),
     {"Pod a, container main: shard 9: no header (",
      "shard 9: no header (the source of the headline) "
      "pods[0].status.containerStatuses[0].state.terminated.message"},
     {},
     {"<b>shard 9: no header</b> the source of the headline"}},
    {"QuotedOnce",
     Pod("a", Ended(2, "usage: train\\nError: no such option: --lrr")),
     {"Pod a, container main: Error: no such option: --lrr",
      "1. Error: no such option: --lrr (the program"},
     {"the source of the headline"}},
    {"QuotedForTheShell",
     R"({"kind":"Pod","metadata":{"name":"it's;a","namespace":"m $l"},
       "spec":{"containers":[{"name":"main"}]},"status":{"phase":"Failed",
       "containerStatuses":[{"name":"main","state":{"terminated":{
       "exitCode":1}}}]}})",
     {R"(kubectl logs -n 'm $l' 'it'\''s;a' -c main)",
      R"(kubectl annotate --overwrite -n 'm $l' 'pod/it'\''s;a' mulligan)"},
     {}},
};
INSTANTIATE_TEST_SUITE_P(Words, ExplanationTest, ::testing::ValuesIn(kWords),
                         [](const auto& test) { return test.param.name; });

// Events at about the same time share a mark; each text is a line of it.
TEST(PageTest, SeparatesUniqueTextsOfAMark) {
  std::string objects = R"({"kind":"Pod","metadata":{"name":"p",
    "namespace":"ml","uid":"u","creationTimestamp":"2026-11-03T08:00:00Z"},
    "status":{"phase":"Failed","containerStatuses":[{"name":"main","state":
    {"terminated":{"exitCode":1,"startedAt":"2026-11-03T08:01:00Z",
    "finishedAt":"2026-11-03T09:00:00Z"}}}]}})";
  for (const char* message : {"a; b", "c; d", "a; b"}) {
    absl::StrAppend(&objects, R"({"kind":"Event","reason":"R","message":")",
                    message, R"(","involvedObject":{"kind":"Pod","name":"p",
                    "namespace":"ml","uid":"u"},"type":"Warning",
                    "lastTimestamp":"2026-11-03T08:30:00Z"})");
  }
  EXPECT_THAT(Explain(objects).html,
              HasSubstr("<title>Pod p: R: a; b&#10;Pod p: R: c; d</title>"));
}

}  // namespace
}  // namespace mulligan::cli
