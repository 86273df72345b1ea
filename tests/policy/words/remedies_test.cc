#include "policy/words/remedies.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "policy/demystify/signatures/matching/pattern_options.h"
#include "policy/demystify/signatures/tables.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

struct Text {
  v1::Cause cause;
  const char* text;
  const char* problem;
};

const Text kTexts[] = {
    {v1::NODE_LOST, "DeletionByPodGC", "its node is gone"},
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
    {v1::CONFIG_USER_ERROR, "No CUDA GPUs are available",
     "the program looks for a GPU, and the pod asks for none"},
    {v1::CREATE_CONFLICT,
     "the object has been modified; please apply your changes to the latest "
     "version and try again",
     "somebody else changed the object at the same time"},
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
    {v1::CONFIG_USER_ERROR,
     "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
     "https://api.wandb.ai/graphql",
     "api.wandb.ai refuses the credentials (401)"},
    {v1::CONFIG_USER_ERROR,
     "wandb: ERROR API key verification failed for host https://wandb.acme.io. "
     "Make sure your API key is valid.",
     "wandb.acme.io refuses the credentials"},
    {v1::CONFIG_USER_ERROR,
     "wandb.errors.errors.AuthenticationError: The API key is missing",
     "Weights & Biases refuses the credentials"},
    {v1::CONFIG_USER_ERROR,
     "huggingface_hub.errors.HfHubHTTPError: 401 Client Error. (Request ID: r)",
     "Hugging Face refuses the credentials"},
    {v1::CONFIG_USER_ERROR, "OSError: You are trying to access a gated repo.",
     "the model on Hugging Face is gated: these credentials do not open it"},
    {v1::CONFIG_USER_ERROR,
     "huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error.",
     "Hugging Face has no such model for these credentials"},
    // Their other messages are not about credentials.
    {v1::CONFIG_USER_ERROR, "wandb.errors.UsageError: project is no name", ""},
    {v1::CONFIG_USER_ERROR,
     "wandb: Currently logged in as: bob. wandb: Paste an API key from your "
     "profile train.py: error: unrecognized arguments: --lrr",
     ""},
    {v1::CONFIG_USER_ERROR,
     "huggingface_hub.errors.HFValidationError: Repo id must be a name", ""},
    {v1::APP_ERROR,
     "java.lang.OutOfMemoryError: unable to create native thread: possibly out "
     "of memory or process/resource limits reached",
     "the process may not start more threads: unable to create native thread"},
    {v1::APP_ERROR, "pthread_create failed: Resource temporarily unavailable",
     "the process may not start more threads: pthread_create failed: Resource "
     "temporarily unavailable"},
    {v1::CONTAINER_OOM, "OutOfMemoryError: Compressed class space",
     "the JVM's Compressed class space is full"},
    {v1::CONTAINER_OOM,
     "java.lang.OutOfMemoryError: Cannot reserve 65536 bytes of direct buffer "
     "memory (allocated: 9, limit: 10)",
     "the direct memory of the JVM is full"},
    // A JVM prints its memory areas next to the error.
    {v1::CONTAINER_OOM,
     "java.lang.OutOfMemoryError: Java heap space\n Metaspace used 34K",
     "the heap of the JVM is full: Java heap space"},
    {v1::DEVICE_ADMISSION, "Pod was rejected: Predicate NodeAffinity failed",
     "the node no longer has the labels that the pod asks for"},
    {v1::UNSCHEDULABLE,
     "waiting for pods's pod group \"g\" to appear in scheduling queue",
     "pod group g does not exist"},
    {v1::UNSCHEDULABLE,
     "waiting for minCount pods from a gang to appear in scheduling queue",
     "the scheduler waits for the rest of the gang"},
    {v1::UNSCHEDULABLE,
     "waiting for the preemption for this pod group to be finished",
     "the scheduler makes room for the gang"},
    {v1::UNSCHEDULABLE,
     "minCount (4) cannot be satisfied: 2 scheduled, 1 remaining",
     "the gang needs 4 members at once, and there is room for 2"},
    {v1::UNSCHEDULABLE,
     "all pods in a single pod group should have the same .spec.schedulerName "
     "set, got: \"a\" and \"b\"",
     "the pods of the gang differ in their schedulerName"},
    {v1::UNSCHEDULABLE,
     "all pods in a single pod group should have the same priority as the pod "
     "group's priority, got 5 and 0",
     "the pods of the gang differ in their priority"},
    {v1::TAINT_EVICTED, "DeletionByDeviceTaintManager",
     "a device of the node that it held was tainted"},
    {v1::UNSCHEDULABLE, "0/4 placements are available, first placement status",
     "no part of the topology has room for the gang (0/4 placements are "
     "available)"},
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
    {v1::API_TRANSIENT,
     "failed calling webhook \"w.io\": Post \"https://hook.infra.svc:443/v1\": "
     "x509: certificate signed by unknown authority",
     "webhook w.io cannot be called: x509: certificate signed by unknown "
     "authority"},
    {v1::API_TRANSIENT,
     "dial tcp: lookup hook.infra.svc on 10.96.0.10:53: no such host",
     "service hook in namespace infra does not exist"},
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
    {v1::CREATE_REJECTED, "no PriorityClass with name high was found",
     "priority class high does not exist"},
    {v1::CREATE_REJECTED, "namespaces \"ml\" not found",
     "namespace ml does not exist"},
    {v1::IMAGE_PULL_TRANSIENT, "dial tcp: lookup reg.io: no such host",
     "image i:1: the registry's name is not resolved"},
    {v1::IMAGE_DENIED, "x509: certificate signed by unknown authority",
     "image i:1: the registry's certificate is not trusted"},
    {v1::IMAGE_INVALID, "name unknown: no such repository",
     "image i:1: no such repository"},
    {v1::IMAGE_INVALID, "invalid reference format",
     "image i:1: not a valid image reference"},
    {v1::CONTAINER_OOM, "FATAL ERROR: JavaScript heap out of memory",
     "the JavaScript heap is full"},
    {v1::CONFIG_MISSING, "persistentvolumeclaim \"data\" not found",
     "persistent volume claim data does not exist"},
    {v1::UNSCHEDULABLE, "0/3 nodes are available: 3 Insufficient cpu.",
     "0/3 nodes are available: 3 Insufficient cpu."},
    {v1::CONFIG_MISSING, "serviceaccount \"robot\" not found",
     "service account robot does not exist"},
    {v1::SANDBOX_OR_MOUNT,
     "Multi-Attach error for volume \"pv\" Volume is already exclusively "
     "attached to one node and can't be attached to another",
     "volume pv is still attached to another node"},
    {v1::CONFIG_MISSING, "references non-existent config key: url",
     "key url of a volume does not exist"},
    {v1::CONFIG_MISSING, "exec: \"/run.sh\": no such file or directory",
     "program /run.sh is not in image i:1"},
    {v1::CONFIG_MISSING, "exec: \"/run.sh\": permission denied",
     "program /run.sh may not be executed"},
    // Failures late in a run, or because of an earlier run's leftovers.
    {v1::CONFIG_USER_ERROR, "UploadError: the provided token has expired",
     "the credentials ran out while it ran: token has expired"},
    {v1::CONFIG_USER_ERROR,
     "the checkpoint was saved with world size 16, but the current one is 8",
     "the checkpoint was written by a run of another shape or release"},
    {v1::DATA_OR_NUMERIC, "EOFError: /root/.cache/hub/blobs/1f is truncated",
     "a file in the cache /root/.cache/hub/blobs/1f is damaged"},
    {v1::CONTAINER_OOM, "java -XX:MaxHeapSize=2g a.jar: its heap is full",
     "a heap is full whose size is set by -XX:MaxHeapSize=2g"},
    {v1::DEPENDENCY_UNAVAILABLE, "touch: /out/a: Read-only file system",
     "a file system became read-only while it ran: Read-only file system"},
    {v1::HANG,
     "rank 0: tokenizing the dataset, 40 % done\nrank 3: Watchdog caught "
     "collective operation timeout",
     "the ranks gave up waiting for one that was at work: tokenizing"},
    {v1::DEPENDENCY_UNAVAILABLE, "FATAL: sorry, too many clients already",
     "the work asks more of a service than it allows: too many clients"},
    {v1::CONTAINER_OOM, "nanny: Worker exceeded 95% memory budget. Restarting",
     "a Dask worker reached its own limit: 95% memory budget"},
    {v1::CRASH_SIGNAL, "Illegal instruction (core dumped)",
     "the CPU of the node lacks an instruction that the program uses"},
    {v1::CONFIG_USER_ERROR,
     "RuntimeError: The NVIDIA driver on your system is too old",
     "the driver of the node is older than the program's CUDA"},
    {v1::CONFIG_USER_ERROR, "Fatal glibc error: CPU does not support x86-64-v3",
     "the CPU of the node lacks what the program is built for"},
    {v1::CONFIG_USER_ERROR,
     "certificate verify failed: certificate is not yet valid",
     "a certificate begins later than the clock of the node says"},
    {v1::CONFIG_USER_ERROR, "An error occurred (RequestTimeTooSkewed)",
     "a service finds the clock of the node wrong"},
    {v1::CONFIG_MISSING,
     "nvidia-container-cli: requirement error: unsatisfied condition: "
     "cuda>=12.8, please update your driver",
     "the driver of the node is older than the image wants: cuda>=12.8"},
    {v1::GPU_FAULT, "The TPU is already in use by process with pid 311.",
     "process 311 holds the TPU"},
    {v1::DEPENDENCY_UNAVAILABLE,
     "google.api_core.exceptions.Forbidden: 403 Exceeded rate limits: too many "
     "table update operations",
     "the work asks more of a service than it allows: Exceeded rate limits"},
    // Texts about another subject explain nothing.
    {v1::APP_ERROR, "secret \"pg\" not found", ""},
};

TEST(ProblemTest, NamesTheSubjectOfTheText) {
  for (const Text& row : kTexts) {
    Particulars found;
    found.image = "i:1";
    found.texts = {"something else", row.text};
    const Remedy remedy = RemedyInTexts(row.cause, "", found);
    EXPECT_EQ(remedy.problem, row.problem) << row.text;
    EXPECT_EQ(remedy.step.empty(), remedy.problem.empty());
  }
}

// Runtimes end their messages with "unknown", which registries say of tags.
TEST(RemedyRows, TheRowThatDecidedAdvises) {
  Particulars found;
  found.image = "i:1";
  found.texts = {"exec: \"/app/run\": exec format error: unknown"};
  EXPECT_EQ(
      RemedyInTexts(v1::IMAGE_INVALID, "start/exec-format", found).problem,
      "image i:1 is built for another architecture");
}

TEST(RemedyRows, AnImageWithADigestHasNoTag) {
  Particulars found;
  found.image = "r/x@sha256:0";
  found.texts = {"Failed to pull image \"r/x@sha256:0\": not found"};
  EXPECT_EQ(RemedyInTexts(v1::IMAGE_INVALID, "", found).problem,
            "image r/x@sha256:0: no such digest");
}

// Texts of queues and Slurm, which are searched separately.
constexpr const char* kQueueTexts[] = {
    "request > maximum capacity (4 > 2)",
    "LocalQueue blue doesn't exist",
    "ClusterQueue blue doesn't exist",
    "ClusterQueue blue is inactive",
    "untolerated taint {gpu yes NoSchedule} in flavor f",
    "exceeding the maximum number of re-queuing retries",
    "The workload is deactivated",
    "Exceeded the PodsReady timeout ml/train",
    "Preempted to accommodate a workload",
    "Admission is gated by: example.com/budget",
    "could not open the job's output",
    "DEADLINE",
    "TIMEOUT",
};

TEST(RemedyRows, EveryRowNamesSomethingInATextAbove) {
  for (const demystify::RemedyRow& row : demystify::RemedyRows()) {
    const RE2 names(row.names, demystify::RemedyOptions());
    const auto found = [&](const char* text) {
      return RE2::PartialMatch(text, names);
    };
    EXPECT_TRUE(std::ranges::any_of(kTexts, found, &Text::text) ||
                std::ranges::any_of(kQueueTexts, found))
        << "expected a text in kTexts, above, for " << row.names;
  }
}

// A name from a text is inserted once, and quoted for the shell.
TEST(RemedyRows, NamesInTextsAreNotExpandedAgain) {
  Particulars found;
  found.texts = {
      "failed calling webhook \"\\2{node}\": Post https://svc-a.ns-b.svc:443: "
      "no endpoints available"};
  const Remedy remedy = RemedyInTexts(v1::API_TRANSIENT, "", found);
  EXPECT_EQ(remedy.problem,
            "webhook \\2{node} cannot be called: its service svc-a in "
            "namespace ns-b has no endpoints");
  EXPECT_EQ(remedy.command, "kubectl get endpoints,pods -n ns-b");
  EXPECT_EQ(remedy.step,
            "get the pods behind service svc-a in namespace ns-b running: "
            "kubectl get endpoints,pods -n ns-b");
}

}  // namespace
}  // namespace mulligan::words
