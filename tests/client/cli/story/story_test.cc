#include "client/cli/story/story.h"

#include <string>

#include "client/cli/input/report_builder.h"
#include "client/cli/story/particulars.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

struct StoryRow {
  const char* name;
  // Objects as JSON, and the answer about them.
  const char* objects;
  const char* response;
  const char* headline;
  const char* first_step;
};

class FirstStepTest : public ::testing::TestWithParam<StoryRow> {};

TEST_P(FirstStepTest, HasNamesAndNumbers) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", GetParam().objects));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  auto response = Parse<v1::DecideResponse>(GetParam().response);
  response.mutable_diagnosis()->set_situation(v1::Diagnosis::BROKEN);
  const Story story = TellStory(request, response, builder.specs(), "");
  EXPECT_EQ(story.headline, GetParam().headline);
  EXPECT_EQ(story.first_step, GetParam().first_step);
}

constexpr char kOom[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main","image":"i:1",
  "resources":{"limits":{"memory":"4Gi"}}}]},"status":{"phase":"Failed"}})";

constexpr char kTemplate[] = R"({"kind":"Pod","metadata":{"name":"a"},
  "spec":{"containers":[{"name":"main",
  "resources":{"limits":{"memory":"6Gi"}}}]},"status":{}}
  {"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{
  "containers":[{"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}})";

// A webhook gave the pod three times what its template says.
constexpr char kRaisedByOthers[] = R"({"kind":"Pod","metadata":{"name":"a"},
  "spec":{"containers":[{"name":"main",
  "resources":{"limits":{"memory":"12Gi"}}}]},"status":{}}
  {"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{
  "containers":[{"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}})";

constexpr char kWaiting[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main",
  "image":"ghcr.io/acme/train:v2"}]},"status":{"phase":"Pending",
  "containerStatuses":[{"name":"main","state":{"waiting":{
  "reason":"CreateContainerConfigError",
  "message":"secret \"pg\" not found"}}}]}})";

constexpr char kSpark[] = R"({"kind":"Pod","metadata":{"name":"d"},
  "spec":{"containers":[{"name":"spark-kubernetes-driver",
  "resources":{"limits":{"memory":"3Gi"}}}]},"status":{}}
  {"kind":"Pod","metadata":{"name":"e"},
  "spec":{"containers":[{"name":"spark-kubernetes-executor",
  "resources":{"limits":{"memory":"9Gi"}}}]},"status":{}})";

constexpr char kIndexed[] = R"({"kind":"Job","metadata":{"name":"j"},
  "spec":{"completionMode":"Indexed"},"status":{"failedIndexes":"1,3-5"}})";

const StoryRow kStoryRows[] = {
    {"SparkDriver", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'd' container: "
     "'spark-kubernetes-driver' } summary: 'x' }",
     "x (memory limit 3Gi)",
     "raise spark.driver.memory, or spark.driver.memoryOverhead where it is "
     "not the heap: together they are 3Gi"},
    {"SparkExecutor", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'e' container: "
     "'spark-kubernetes-executor' } summary: 'x' }",
     "x (memory limit 9Gi)",
     "raise spark.executor.memory, or spark.executor.memoryOverhead where it "
     "is not the heap: together they are 9Gi"},
    // Whose limit is not that of the pod that tells.
    {"SparkExecutorsTheDriverTellsOf", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'd' container: "
     "'spark-kubernetes-driver' } summary: 'x' evidence { weight: MESSAGE "
     "value: 'The executor with id 4 exited with exit code 137' } }",
     "x (memory limit 3Gi)",
     "raise spark.executor.memory, or spark.executor.memoryOverhead where it "
     "is not the heap"},
    {"FailedIndexes", kIndexed,
     "diagnosis { cause: DECLARED_FATAL summary: 'Job j: too many indexes "
     "failed.' }",
     "Job j: too many indexes failed; failed indexes: 1,3-5",
     "read why the program gave up; kubectl logs of the failed pod"},
    {"Grown", kOom,
     "decision { resources { resource: 'memory' factor: 1.5 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'Pod a, container main: killed at its memory limit (exit code 137).' }",
     "Pod a, container main: killed at its memory limit of 4Gi (exit code "
     "137)",
     "raise the memory limit of container main from 4Gi to 6Gi"},
    {"GrownBefore", kTemplate,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'Out of memory.' } failure_id: 'b' ledger { history { failure_id: 'a' "
     "decision { resources { resource: 'memory' factor: 1.5 } } } }",
     "Out of memory (memory limit 6Gi)",
     "raise the memory limit of container main from 6Gi to 9Gi"},
    {"GrownFromNobodyKnowsWhat", kOom,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' } failure_id: 'b' ledger { history { failure_id: 'a' decision { "
     "resources { resource: 'memory' factor: 1.5 } } } }",
     "x (memory limit 4Gi)",
     "raise the memory limit of container main to 2.25 times that of the "
     "first attempt"},
    {"NeverLowered", kRaisedByOthers,
     "decision { resources { resource: 'memory' factor: 1.5 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' }",
     "x (memory limit 12Gi)",
     "raise the memory limit of container main from 12Gi to 18Gi"},
    {"LessThanItHas", kRaisedByOthers,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' } failure_id: 'b' ledger { history { failure_id: 'a' decision { "
     "resources { resource: 'memory' factor: 1.5 } } } }",
     "x (memory limit 12Gi)",
     "raise the memory limit of container main above 12Gi"},
    {"NoMoreGrowth", kOom,
     "decision { action: FAIL } diagnosis { cause: CONTAINER_OOM culprit { "
     "pod: 'a' container: 'main' } summary: 'x' }",
     "x (memory limit 4Gi)",
     "raise the memory limit of container main above 4Gi"},
    {"MissingSecret", kWaiting,
     "diagnosis { cause: CONFIG_MISSING culprit { pod: 'a' container: 'main' "
     "} summary: 'Pod a, container main: something is missing.' }",
     "Pod a, container main: secret pg does not exist",
     "create secret pg in namespace ml, or correct its name in the pod's "
     "spec"},
    {"ImageTag", kWaiting,
     "diagnosis { cause: IMAGE_INVALID culprit { pod: 'a' container: 'main' } "
     "summary: 'Pod a, container main: bad image.' evidence { value: "
     "'manifest unknown' } }",
     "Pod a, container main: image ghcr.io/acme/train:v2: no such tag",
     "push image ghcr.io/acme/train:v2, or correct its tag"},
    {"Log", kOom,
     "diagnosis { cause: APP_ERROR culprit { pod: 'a' container: 'main' } "
     "summary: 'Pod a: it failed.' }",
     "Pod a: it failed",
     "read the end of the log: kubectl logs -n ml a -c main"},
    {"BadNode", kOom,
     "diagnosis { cause: GPU_FAULT derived_cause: BAD_NODE derived_reason: "
     "'3 of 4 on n1' culprit { pod: 'a' node: 'n1' } summary: 'x' }",
     "x", "take node n1 out until it is repaired: 3 of 4 on n1"},
    {"Incident", kOom,
     "diagnosis { cause: IMAGE_PULL_TRANSIENT derived_cause: INCIDENT "
     "derived_reason: '9 workloads in 5m' culprit { pod: 'a' } summary: 'x' }",
     "x", "look at what the failing workloads share: 9 workloads in 5m"},
};

INSTANTIATE_TEST_SUITE_P(Rows, FirstStepTest, ::testing::ValuesIn(kStoryRows),
                         [](const auto& row) { return row.param.name; });

struct Text {
  v1::Cause cause;
  const char* text;
  const char* problem;
};

const Text kTexts[] = {
    {v1::CONFIG_MISSING,
     "MountVolume.SetUp failed for volume \"v\" : configmap \"c\" not found",
     "configmap c does not exist"},
    {v1::CONFIG_MISSING, "couldn't find key pw in Secret ml/pg",
     "Secret pg has no key pw"},
    {v1::CONFIG_MISSING,
     "exec: \"trian\": executable file not found in $PATH: unknown",
     "program trian is not in image i:1"},
    {v1::CONFIG_MISSING, "exec /bin/a: exec format error",
     "image i:1 is built for another architecture"},
    {v1::QUOTA_EXCEEDED,
     "pods \"a\" is forbidden: exceeded quota: gpu, requested: "
     "requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=60, limited: "
     "requests.nvidia.com/gpu=64",
     "quota gpu is used up: requested requests.nvidia.com/gpu=8, used "
     "requests.nvidia.com/gpu=60, limited: requests.nvidia.com/gpu=64"},
    {v1::CREATE_REJECTED,
     "admission webhook \"v.io\" denied the request: no team label",
     "webhook v.io refuses it: no team label"},
    {v1::CREATE_REJECTED,
     "admission webhook \"v.io\" denied the request: \n\nthe object was "
     "blocked: \n\nrun-as-nonroot:\n  check: set runAsNonRoot\n",
     "webhook v.io refuses it: the object was blocked: run-as-nonroot: check: "
     "set runAsNonRoot"},
    {v1::NODE_PRESSURE_EVICTED,
     "The node was low on resource: ephemeral-storage. Threshold: 10Gi",
     "evicted, the node ran low on ephemeral-storage"},
    {v1::IMAGE_INVALID,
     "Failed to pull image \"r/x@sha256:0\": r/x@sha256:0: not found",
     "image r/x@sha256:0: no such digest"},
    {v1::IMAGE_INVALID, "no match for platform in manifest",
     "image i:1: not built for the node's platform"},
    {v1::IMAGE_DENIED, "pull access denied, 403 Forbidden",
     "image i:1: the registry refuses access (403 Forbidden)"},
    {v1::IMAGE_DENIED, "pull access denied",
     "image i:1: the registry refuses access"},
    {v1::API_TRANSIENT,
     "failed calling webhook \"w.io\": failed to call webhook: Post "
     "\"https://hook.infra.svc:443/v1\": no endpoints available for service "
     "\"hook\"",
     "webhook w.io cannot be called: its service hook in namespace infra has "
     "no endpoints"},
    {v1::CREATE_REJECTED,
     "pods \"a\" is forbidden: violates PodSecurity \"baseline:latest\": a, "
     "b",
     "the pod violates PodSecurity baseline:latest: a, b"},
    {v1::SANDBOX_OR_MOUNT,
     "Multi-Attach error for volume \"v-1\" Volume is already used by pod(s) "
     "old-1",
     "volume v-1 is still attached elsewhere, for pod old-1"},
    {v1::GPU_FAULT, "CUDA error 802: system not yet initialized",
     "the fabric manager of the node is not running (CUDA 802)"},
    {v1::CONTAINER_OOM, "java.lang.OutOfMemoryError: Java heap space",
     "the heap of the JVM is full: Java heap space"},
    {v1::CANCELLED, "Scaled down replica set web-1 from 2 to 0",
     "deleted because replica set web-1 was scaled down from 2 to 0"},
    {v1::CANCELLED, "Scaled down replica set web-1 to 0 from 2",
     "deleted because replica set web-1 was scaled down to 0 from 2"},
    {v1::CONTAINER_OOM, "OutOfMemoryError: Metaspace",
     "the JVM's Metaspace is full"},
    {v1::CONTAINER_OOM, "MemoryError: Unable to allocate 7.45 GiB for an array",
     "the program asked for 7.45 GiB at once"},
    {v1::CONFIG_USER_ERROR,
     "mapping values are not allowed here in \"/etc/a.yaml\", line 3, column 7",
     "/etc/a.yaml does not parse as YAML, line 3"},
    {v1::CONFIG_USER_ERROR,
     "Error(s) in loading state_dict for Net: size mismatch for head.weight: "
     "copying a param",
     "the checkpoint does not fit the model: size mismatch for head.weight"},
    {v1::CONFIG_USER_ERROR,
     "configmaps \\\"a\\\" is forbidden: User "
     "\\\"system:serviceaccount:ml:x\\\" "
     "cannot get resource \\\"configmaps\\\" in API group",
     "system:serviceaccount:ml:x may not get configmaps"},
    {v1::GPU_FAULT,
     "NVRM: Xid (PCI:0000:8d:00): 79, pid=7, GPU has fallen off the bus.",
     "the GPU driver of the node reports Xid (PCI:0000:8d:00): 79, pid=7, GPU "
     "has fallen off the bus."},
    {v1::DEVICE_ADMISSION,
     "Allocate failed due to requested number of devices unavailable for "
     "nvidia.com/gpu. Requested: 4, Available: 1, which is unexpected",
     "the node had 1 of nvidia.com/gpu left when it was asked for 4"},
    {v1::DEVICE_ADMISSION,
     "Node didn't have enough resource: cpu, requested: 8000, used: 5000, "
     "capacity: 8000",
     "the node had no room for 8000 of cpu, 5000 were in use"},
    {v1::SANDBOX_OR_MOUNT,
     "MountVolume.SetUp failed for volume \"nfs\" : mount failed: exit status "
     "32\nOutput: mount.nfs: access denied by server while mounting "
     "10.1.1.5:/ml",
     "volume nfs could not be mounted: access denied by server while mounting "
     "10.1.1.5:/ml"},
    {v1::IMAGE_PULL_TRANSIENT, "write /var/lib/a: no space left on device",
     "image i:1: the node has no room for it"},
    {v1::IMAGE_PULL_TRANSIENT, "toomanyrequests: slow down",
     "image i:1: the registry limits the rate"},
    // Texts of another subject explain nothing.
    {v1::APP_ERROR, "secret \"pg\" not found", ""},
};

TEST(ProblemTest, NamesWhatTheTextsName) {
  for (const Text& row : kTexts) {
    Particulars found;
    found.image = "i:1";
    FindProblem(row.cause, {"something else", row.text}, found);
    EXPECT_EQ(found.problem, row.problem) << row.text;
    EXPECT_EQ(found.remedy.empty(), found.problem.empty());
  }
}

constexpr char kTwoAttempts[] = R"pb(
  diagnosis { situation: BROKEN }
  decision { action: FAIL scope: JOB }
  accounting { exhaustion { limit: BUDGET budget: "memory" used: 3 bound: 3 } }
  failure_id: "b"
  ledger {
    history_dropped: 2
    history {
      failure_id: "a"
      attempt: 3
      cause: CONTAINER_OOM
      charged_to: "memory"
      used: 3
      bound: 3
      finished_at { seconds: 1000 }
      ran_for { seconds: 60 }
      decision { action: RETRY scope: POD }
    }
    history {
      failure_id: "b"
      attempt: 4
      cause: CONTAINER_OOM
      refused_by: BUDGET
      refusing_budget: "memory"
      used: 3
      bound: 3
      observed_at { seconds: 2000 }
      decision { action: FAIL scope: JOB }
    }
  })pb";

TEST(StoryTest, TellsEveryAttemptAndWhoPaid) {
  v1::DecideRequest request;
  request.mutable_ledger()->add_history()->set_failure_id("a");
  const Story story =
      TellStory(request, Parse<v1::DecideResponse>(kTwoAttempts), {}, "");
  ASSERT_EQ(story.attempts.size(), 2U);
  EXPECT_EQ(story.attempts[0].paid_by, "memory 3/3");
  EXPECT_EQ(story.attempts[0].done, "retry the pod at once");
  EXPECT_FALSE(story.attempts[0].at_hand);
  EXPECT_EQ(story.attempts[1].paid_by, "nothing");
  EXPECT_EQ(story.attempts[1].done, "fail the Job: memory is used up (3 of 3)");
  EXPECT_TRUE(story.attempts[1].at_hand);
  EXPECT_TRUE(story.attempts[1].observed);
  EXPECT_EQ(story.dropped, 2);
  ASSERT_EQ(story.sides.size(), 1U);
  EXPECT_EQ(story.sides[0].Price(), "memory 3 of 3 used");
}

TEST(StoryTest, NothingWasDoneAboutAnAttemptThatNobodyAskedAbout) {
  const Story story =
      TellStory({}, Parse<v1::DecideResponse>(kTwoAttempts), {}, "");
  ASSERT_EQ(story.attempts.size(), 2U);
  EXPECT_EQ(story.attempts[0].paid_by, "memory 3/3");
  EXPECT_EQ(story.attempts[0].done, "nobody asked then");
  EXPECT_EQ(story.attempts[1].done, "fail the Job: memory is used up (3 of 3)");
}

TEST(StoryTest, ARepeatedReportSaysThatItWasDecidedBefore) {
  const Story story = TellStory({}, Parse<v1::DecideResponse>(R"pb(
                                  diagnosis {
                                    situation: BROKEN
                                    finished_at { seconds: 1000 }
                                  }
                                  decision { action: RETRY scope: POD }
                                  accounting {
                                    duplicate: true
                                    budgets { name: "memory" used: 1 limit: 3 }
                                  }
                                  failure_id: "told otherwise"
                                  ledger {
                                    history {
                                      failure_id: "a"
                                      charged_to: "memory"
                                      finished_at { seconds: 1000 }
                                    }
                                  })pb"),
                                {}, "");
  EXPECT_TRUE(story.attempts[0].at_hand);
  EXPECT_EQ(story.sides[0].verdict, "RETRY the pod, as decided before");
  EXPECT_EQ(story.sides[0].Price(), "memory 1 of 3 used");
}

TEST(StoryTest, TheOperatorStandsBesideUs) {
  const Story story = TellStory({}, Parse<v1::DecideResponse>(R"pb(
                                  native {
                                    operator: "Job"
                                    action: FAIL
                                    scope: JOB
                                    charged_to: "backoffLimit"
                                    used: 3
                                    limit: 2
                                    verdict: "Failed"
                                    reason: "BackoffLimitExceeded"
                                  })pb"),
                                {}, "");
  ASSERT_EQ(story.sides.size(), 2U);
  EXPECT_EQ(story.sides[1].who, "Job");
  EXPECT_EQ(story.sides[1].verdict, "FAIL the Job");
  EXPECT_EQ(story.sides[1].Price(), "backoffLimit of 2 exceeded (3)");
  EXPECT_EQ(story.sides[1].words, "Failed, BackoffLimitExceeded");
}

}  // namespace
}  // namespace mulligan::cli
