// Headlines and first steps for messages of storage, queue, scheduler, kubelet
// and program that name the setting.
#include <string>

#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "policy/request/workload.h"
#include "policy/words/advice.h"
#include "tests/policy/failures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

struct WordsRow {
  const char* name;
  // Objects as JSON, and their diagnosis.
  const char* objects;
  const char* diagnosis;
  const char* headline;
  const char* first_step;
};

class WordsTest : public ::testing::TestWithParam<WordsRow> {};

TEST_P(WordsTest, NameTheSetting) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", GetParam().objects));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  v1::Diagnosis diagnosis;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      GetParam().diagnosis, &diagnosis));
  const words::Advice advice =
      words::Advise({.owners = Owners(request.report()),
                     .workload = WorkloadOf(request.report()),
                     .failure = testing::FailureIn(diagnosis, request.report()),
                     .diagnosis = diagnosis});
  EXPECT_EQ(advice.problem, GetParam().headline);
  EXPECT_EQ(advice.first_step.text(), GetParam().first_step);
}

constexpr char kFullPod[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"nodeName":"n1","nodeSelector":{"tier":"x1"},
  "containers":[{"name":"main","image":"i:1","volumeMounts":[
  {"name":"out","mountPath":"/out"},{"name":"ram","mountPath":"/dev/shm"},
  {"name":"tmp","mountPath":"/out/tmp"}]}],"volumes":[
  {"name":"out","persistentVolumeClaim":{"claimName":"results"}},
  {"name":"ram","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}},
  {"name":"tmp","emptyDir":{}}]},"status":{"phase":"Failed"}})";

constexpr char kPlainPod[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main","image":"i:1"}]},
  "status":{"phase":"Failed"}})";

#define FULL(TEXT)                                                            \
  "situation: BROKEN cause: STORAGE_EXHAUSTED culprit { pod: 'a' container: " \
  "'main' } summary: 'Pod a: full.' evidence { value: \"" TEXT "\" }"

const WordsRow kStorage[] = {
    {"ClaimThatIsFull", kFullPod,
     FULL("OSError: [Errno 28] No space left on device: '/out/m.bin'"),
     "Pod a: persistent volume claim results has no room left for /out/m.bin",
     "expand persistent volume claim results, or delete what is no longer "
     "needed there"},
    {"PathBeforeAColon", kFullPod,
     FULL("ERROR 3: /out/z1/t.tif: write failed: No space left on device"),
     "Pod a: persistent volume claim results has no room left for "
     "/out/z1/t.tif",
     "expand persistent volume claim results, or delete what is no longer "
     "needed there"},
    {"VolumeBelowAnother", kFullPod,
     FULL("OSError: [Errno 28] No space left on device: '/out/tmp/x'"),
     "Pod a: volume tmp (emptyDir) has no room left for /out/tmp/x",
     "make room where volume tmp lies"},
    {"NoVolumeAndNoLimit", kFullPod,
     FULL("OSError: [Errno 28] No space left on device: '/outer/x'"),
     "Pod a: no room left on the file system of container main for /outer/x",
     "request ephemeral-storage for container main, so that it gets a node "
     "with room: it asks for none"},
    {"EmptyDirOverItsLimit", kFullPod,
     FULL(
         "Usage of EmptyDir volume \\\"tmp\\\" exceeds the limit \\\"2Gi\\\"."),
     "Pod a: emptyDir volume tmp is larger than its sizeLimit of 2Gi",
     "raise sizeLimit of emptyDir volume tmp above 2Gi, or write less to it"},
    {"OwnLimit", kFullPod,
     FULL("Pod ephemeral local storage usage exceeds the total limit of "
          "containers 5Gi. "),
     "Pod a: used more ephemeral storage than its limit of 5Gi",
     "raise the ephemeral-storage limit of container main above 5Gi"},
    {"SharedMemoryWithoutAVolume", kPlainPod,
     FULL("worker is out of shared memory"),
     "Pod a: /dev/shm is full: it has 64Mi where nothing is mounted",
     "mount an emptyDir with medium: Memory on /dev/shm of container main"},
    {"SharedMemoryWithAVolume", kFullPod,
     FULL("worker is out of shared memory"),
     "Pod a: /dev/shm, volume ram, is full",
     "raise sizeLimit of volume ram, mounted on /dev/shm, above 1Gi"},
    {"UsersQuota", kFullPod,
     FULL("OSError: [Errno 122] Disk quota exceeded: '/home/u/x'"),
     "Pod a: the user's disk quota is used up where /home/u/x is",
     "raise the user's quota on the file system where /home/u/x is, or delete "
     "what is no longer needed there"},
};
INSTANTIATE_TEST_SUITE_P(Storage, WordsTest, ::testing::ValuesIn(kStorage),
                         [](const auto& test) { return test.param.name; });

constexpr char kQueued[] = R"({"kind":"Job","metadata":{"name":"j",
  "namespace":"ml","labels":{"kueue.x-k8s.io/queue-name":"blue"}},
  "spec":{"suspend":true},"status":{}})";
constexpr char kNeverFits[] = R"json({"kind":"Job","metadata":{"name":"j",
  "namespace":"ml","labels":{"kueue.x-k8s.io/queue-name":"blue"}},
  "spec":{"suspend":true},"status":{}}
  {"kind":"Workload","apiVersion":"kueue.x-k8s.io/v1beta1",
  "metadata":{"name":"job-j","namespace":"ml"},"spec":{"queueName":"blue"},
  "status":{"conditions":[{"type":"QuotaReserved","status":"False",
  "reason":"Pending","message":"request > maximum capacity (4 > 2)"
}]
}
})json";
constexpr char kWaitsForCheck[] = R"json({"kind":"Job","metadata":{"name":"j",
  "namespace":"ml","labels":{"kueue.x-k8s.io/queue-name":"blue"}},
  "spec":{"suspend":true},"status":{}}
  {"kind":"Workload","apiVersion":"kueue.x-k8s.io/v1beta1",
  "metadata":{"name":"job-j","namespace":"ml"},"spec":{"queueName":"blue"},
  "status":{"conditions":[{"type":"QuotaReserved","status":"True"}],
  "admissionChecks":[{"name":"mulligan","state":"Pending",
  "message":"retried at 05:02:07"}]}})json";
constexpr char kSuspended[] = R"({"kind":"Job","metadata":{"name":"j",
  "namespace":"ml"},"spec":{"suspend":true},"status":{}})";

constexpr char kHeld[] =
    "situation: HELD cause: SUSPENDED culprit { kind: 'Job' name: 'j' } "
    "summary: 'Job j: the Job is suspended.'";

const WordsRow kQueues[] = {
    {"NoQueue", kSuspended, kHeld, "Job j: the Job is suspended",
     "resume it when it may run"},
    {"QueueByItsLabel", kQueued, kHeld,
     "Job j: it is suspended; Kueue's queue blue holds it, and only its "
     "Workload says why",
     "see what queue blue waits for: kubectl get workloads -n ml"},
    {"CheckThatIsPending", kWaitsForCheck, kHeld,
     "Job j: Kueue says: admission check mulligan: retried at 05:02:07",
     "see what queue blue waits for: kubectl describe workload -n ml job-j"},
    {"QueueThatNeverFitsIt", kNeverFits,
     "situation: BROKEN cause: QUOTA_EXCEEDED signature: "
     "'queue-wait/never-fits' culprit { kind: 'Workload' name: 'job-j' } "
     "summary: 'It asks for more than its queue has.' evidence { value: "
     "'request > maximum capacity (4 > 2)' }",
     "Kueue says: request > maximum capacity (4 > 2)",
     "ask for less, or raise the nominal quota of queue blue: it never fits as "
     "it is"},
    {"QueueThatCannotGiveIt", kNeverFits, kHeld,
     "Job j: Kueue says: request > maximum capacity (4 > 2)",
     "ask for less, or raise the nominal quota of queue blue: it never fits as "
     "it is"},
};
INSTANTIATE_TEST_SUITE_P(Queue, WordsTest, ::testing::ValuesIn(kQueues),
                         [](const auto& test) { return test.param.name; });

const WordsRow kPlaces[] = {
    {"NoNodeHasTheLabel", kFullPod,
     "situation: BROKEN cause: UNSCHEDULABLE culprit { pod: 'a' } summary: "
     "'Pod a: no node.' evidence { value: \"0/9 nodes are available: 9 node(s) "
     "didn't match Pod's node affinity/selector.\" }",
     "Pod a: none of 9 nodes has label tier=x1",
     "correct the pod's nodeSelector tier=x1, or label or add nodes for it"},
    {"SomeNodesAreFull", kFullPod,
     "situation: BROKEN cause: UNSCHEDULABLE culprit { pod: 'a' } summary: "
     "'Pod a: no node.' evidence { value: \"0/9 nodes are available: 8 node(s) "
     "didn't match Pod's node affinity/selector, 1 Insufficient cpu.\" }",
     "Pod a: 0/9 nodes are available: 8 node(s) didn't match Pod's node "
     "affinity/selector, 1 Insufficient cpu.",
     "make room, or ask for less: see why each node was refused"},
    {"PressureOfItsOwn", kFullPod,
     "situation: BROKEN cause: NODE_PRESSURE_EVICTED culprit { pod: 'a' node: "
     "'n1' } summary: 'Pod a: evicted.' evidence { value: 'The node was low on "
     "resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container "
     "main was using 3072Mi, request is 1Gi, has larger consumption of "
     "memory.' }",
     "Pod a: evicted, node n1 ran low on memory",
     "request as much memory as container main uses: it used 3Gi and had "
     "requested 1Gi; pods above their request are evicted first"},
    {"PressureOfOthers", kFullPod,
     "situation: BROKEN cause: NODE_PRESSURE_EVICTED culprit { pod: 'a' node: "
     "'n1' } summary: 'Pod a: evicted.' evidence { value: 'The node was low on "
     "resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. "
     "Container main was using 40Ki, request is 0, has larger consumption of "
     "ephemeral-storage.' }",
     "Pod a: evicted, node n1 ran low on ephemeral-storage",
     "see what else uses up the ephemeral-storage of node n1: container main "
     "used only 40Ki"},
};
INSTANTIATE_TEST_SUITE_P(Place, WordsTest, ::testing::ValuesIn(kPlaces),
                         [](const auto& test) { return test.param.name; });

constexpr char kLogged[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main"}]},"status":{
  "phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":{
  "exitCode":3,"message":"2026-01-02 03:04:05 INFO go\n2026-01-02 03:04:06 ERROR shard 9: no header\n"}}}]}})";

constexpr char kKeyError[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main"}]},"status":{
  "phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":{
  "exitCode":1,"message":"[rank1]: KeyError: 7\n"}}}]}})";

const WordsRow kPrograms[] = {
    {"LineThatDecided", kKeyError,
     "situation: BROKEN cause: APP_ERROR culprit { pod: 'a' container: 'main' "
     "} summary: 'Pod a: an uncaught Python exception (exit code 1); 2 other "
     "members died because of it.' evidence { value: '[rank1]: KeyError: 7' }",
     "Pod a: KeyError: 7 (an uncaught Python exception, exit code 1); 2 other "
     "members died because of it",
     "read the end of the log: kubectl logs -n ml a -c main"},
    {"LastErrorLine", kLogged,
     "situation: BROKEN cause: DECLARED_FATAL culprit { pod: 'a' container: "
     "'main' } summary: 'Pod a: a rule matched.' evidence { value: 'x' }",
     "Pod a: shard 9: no header (a rule matched)",
     "read why the program gave up: shard 9: no header; kubectl logs -n ml a "
     "-c "
     "main"},
    {"StillRunning", R"({"kind":"Pod","metadata":{"name":"a",
       "namespace":"ml"},"spec":{},"status":{"phase":"Running"}})",
     "situation: BROKEN cause: HANG culprit { pod: 'a' } summary: 'Pod a: x.'",
     "Pod a: x",
     "take stacks of pod a while it still runs: kubectl exec -n ml a -- py-spy "
     "dump --pid 1"},
};
INSTANTIATE_TEST_SUITE_P(Program, WordsTest, ::testing::ValuesIn(kPrograms),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::cli
