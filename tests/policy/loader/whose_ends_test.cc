// How the built-in policy attributes ends: heaps within their containers,
// executors that a driver lost, children that were killed, disks that turn
// read-only, caches of a node, sidecars.
#include <cstdint>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/loader/ended_pod.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Heap {
  const char* name;
  const char* words;
  int exit_code;
  // As the log names it; empty: the log does not.
  const char* option;

  friend std::ostream& operator<<(std::ostream& out, const Heap& heap) {
    return out << heap.name;
  }
};
constexpr Heap kHeaps[] = {
    {"Java",
     "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space",
     1, ""},
    {"JavaXmx",
     "Picked up JAVA_TOOL_OPTIONS: -Xmx2g\nException in thread \"main\" "
     "java.lang.OutOfMemoryError: Java heap space",
     1, "-Xmx2g"},
    {"JavaMaxHeap",
     "VM settings: -XX:MaxHeapSize=2147483648\njava.lang.OutOfMemoryError: GC "
     "overhead limit exceeded",
     1, "-XX:MaxHeapSize=2147483648"},
    {"Node",
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out "
     "of memory",
     134, ""},
    {"NodeOption",
     "> node --max-old-space-size=2048 build.js\nFATAL ERROR: Reached heap "
     "limit Allocation failed - JavaScript heap out of memory",
     134, "--max-old-space-size=2048"},
    {"Dask",
     "distributed.nanny - WARNING - Worker exceeded 95% memory budget. "
     "Restarting\ndistributed.scheduler.KilledWorker: ('sum', 4)",
     1, ""},
    {"DaskOption",
     "+ dask worker tcp://s:8786 --memory-limit 4GB\ndistributed.nanny - "
     "WARNING - Worker exceeded 95% memory budget. Restarting",
     1, "--memory-limit 4GB"},
};

class FullHeap : public ::testing::TestWithParam<Heap> {};

TEST_P(FullHeap, GrowsOnceUnlessItIsFixed) {
  const Heap& heap = GetParam();
  const EndedPod ended{.words = heap.words, .exit_code = heap.exit_code};
  const auto first = AnswerToEnd(ended);
  EXPECT_EQ(first.diagnosis().cause(), v1::CONTAINER_OOM);
  const bool is_fixed = *heap.option != 0;
  if (is_fixed) {
    EXPECT_EQ(first.decision().action(), v1::Decision::FAIL);
    EXPECT_THAT(first.decision().resources(), IsEmpty());
    EXPECT_THAT(first.diagnosis().first_step().text(),
                HasSubstr(absl::StrCat("raise ", heap.option)));
    return;
  }
  EXPECT_EQ(first.decision().action(), v1::Decision::RETRY);
  EXPECT_THAT(first.decision().resources(), SizeIs(1));
  EndedPod again = ended;
  again.number = 1;
  v1::DecideRequest request = RequestOfEnd(again, first.ledger());
  auto& pod = *request.mutable_report()->mutable_pods(0);
  const std::int64_t later = 2 * kOneHour;
  auto& end = *pod.mutable_status()
                   ->mutable_container_statuses(0)
                   ->mutable_state()
                   ->mutable_terminated();
  end.mutable_started_at()->set_seconds(kEndsAt - ended.ran + later);
  end.mutable_finished_at()->set_seconds(kEndsAt + later);
  pod.mutable_status()->mutable_start_time()->set_seconds(kEndsAt - ended.ran +
                                                          later - 1);
  request.mutable_report()->mutable_observed_at()->set_seconds(kEndsAt + later +
                                                               5);
  const auto second = AnswerToEnd(request);
  EXPECT_EQ(second.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(RuleOfEnd(second), "heap-full");
  EXPECT_EQ(second.accounting().exhaustion().budget(), "heap");
  EXPECT_THAT(second.diagnosis().first_step().text(), HasSubstr("raise -"));
}

INSTANTIATE_TEST_SUITE_P(CostlyEnds, FullHeap, ::testing::ValuesIn(kHeaps),
                         [](const auto& test) { return test.param.name; });

struct Area {
  const char* name;
  const char* words;
  // The policy's rule that decides.
  const char* rule;
  // The beginning of the first step.
  const char* step;

  friend std::ostream& operator<<(std::ostream& out, const Area& area) {
    return out << area.name;
  }
};
constexpr Area kAreas[] = {
    {"Direct", "java.lang.OutOfMemoryError: Direct buffer memory", "heap-full",
     "raise -XX:MaxDirectMemorySize of"},
    {"DirectSinceJava17",
     "java.lang.OutOfMemoryError: Cannot reserve 65536 bytes of direct buffer "
     "memory (allocated: 9, limit: 10)",
     "heap-full", "raise -XX:MaxDirectMemorySize of"},
    {"DirectOfNetty",
     "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 16 "
     "byte(s) of direct memory (used: 9, max: 10)",
     "heap-full", "raise -XX:MaxDirectMemorySize of"},
    {"DirectOption",
     "+ java -XX:MaxDirectMemorySize=1g -jar a.jar\n"
     "java.lang.OutOfMemoryError: Direct buffer memory",
     "heap-of-its-own", "raise -XX:MaxDirectMemorySize of"},
    // As large as the heap, which does not follow the container.
    {"DirectOfFixedHeap",
     "+ java -Xmx1g -jar a.jar\n"
     "java.lang.OutOfMemoryError: Direct buffer memory",
     "heap-of-its-own", "raise -XX:MaxDirectMemorySize of"},
    {"Metaspace", "java.lang.OutOfMemoryError: Metaspace", "heap-of-its-own",
     "raise -XX:MaxMetaspaceSize of"},
    {"ClassSpace", "java.lang.OutOfMemoryError: Compressed class space",
     "heap-of-its-own", "raise -XX:CompressedClassSpaceSize of"},
    // Messages about an area in the log of another failure.
    {"HeapNextToMetaspace",
     "java.lang.OutOfMemoryError: Java heap space\n Metaspace used 34K",
     "heap-full", "raise -Xmx or"},
    {"OptionOfAnother",
     "+ java -XX:MaxDirectMemorySize=1g -jar a.jar\n"
     "java.lang.OutOfMemoryError: Java heap space",
     "heap-full", "raise -Xmx or"},
};

class FullArea : public ::testing::TestWithParam<Area> {};

TEST_P(FullArea, HasAnOptionOfItsOwn) {
  const auto answer = AnswerToEnd({.words = GetParam().words, .exit_code = 1});
  EXPECT_EQ(answer.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(RuleOfEnd(answer), GetParam().rule);
  EXPECT_THAT(answer.diagnosis().first_step().text(),
              HasSubstr(GetParam().step));
}

INSTANTIATE_TEST_SUITE_P(CostlyEnds, FullArea, ::testing::ValuesIn(kAreas),
                         [](const auto& test) { return test.param.name; });

// A JVM calls threads memory, too.
TEST(FullArea, ThreadsAreNotMemory) {
  for (const char* words :
       {"java.lang.OutOfMemoryError: unable to create native thread: possibly "
        "out of memory or process/resource limits reached",
        "java.lang.OutOfMemoryError: unable to create new native thread",
        "runtime: failed to create new OS thread (have 9 already; errno=11)"}) {
    const auto answer = AnswerToEnd({.words = words, .exit_code = 1});
    EXPECT_EQ(answer.diagnosis().cause(), v1::APP_ERROR) << words;
    EXPECT_EQ(answer.diagnosis().fault_domain(), v1::Diagnosis::RESOURCE_LIMIT)
        << words;
    EXPECT_THAT(answer.decision().resources(), IsEmpty()) << words;
    EXPECT_THAT(answer.diagnosis().first_step().text(),
                HasSubstr("fewer threads"))
        << words;
  }
}

// A program may end with 124 itself: only timeout(1)'s message is certain.
TEST(Timeout, IsAGuessByItsCodeAlone) {
  const auto code = AnswerToEnd({.words = "epoch 3", .exit_code = 124});
  EXPECT_EQ(code.diagnosis().cause(), v1::DEADLINE_POD);
  EXPECT_EQ(code.diagnosis().confidence(), v1::Diagnosis::LOW);
  EXPECT_THAT(code.diagnosis().problem(), HasSubstr("timeout(1)"));
  const auto said =
      AnswerToEnd({.words = "timeout: sending signal TERM to command 'python'",
                   .exit_code = 124});
  EXPECT_EQ(said.diagnosis().cause(), v1::DEADLINE_POD);
  EXPECT_EQ(said.diagnosis().confidence(), v1::Diagnosis::MEDIUM);
  EXPECT_THAT(said.diagnosis().first_step().text(),
              Not(HasSubstr("the program's own")));
  const auto other =
      AnswerToEnd({.words = "Connection refused", .exit_code = 124});
  EXPECT_EQ(other.diagnosis().cause(), v1::DEPENDENCY_UNAVAILABLE);
}

// The limit of the container is a different budget.
TEST(FullContainer, GrowsEachTime) {
  EXPECT_EQ(RuleOfEnd(AnswerToEnd({.words = "MemoryError"})), "out-of-memory");
}

// One setting sizes heap and container, so the heap may grow as often.
TEST(FullHeap, OfSparkFollowsItsContainer) {
  const auto answer =
      AnswerToEnd({.words = "java.lang.OutOfMemoryError: Java heap space",
                   .container = "spark-kubernetes-executor"});
  EXPECT_EQ(answer.accounting().charged_to(), "memory");
}

constexpr char kExecutorKilled[] =
    "SparkException: Job aborted due to stage failure: ExecutorLostFailure "
    "(executor 4 exited caused by one of the running tasks) Reason: \nThe "
    "executor with id 4 exited with exit code 137";

TEST(KilledExecutors, GrowAndNotTheirDriver) {
  for (const char* more : {"", "(SIGKILL, possible container OOM)."}) {
    const auto answer =
        AnswerToEnd({.words = absl::StrCat(kExecutorKilled, more),
                     .container = "spark-kubernetes-driver"});
    EXPECT_EQ(answer.diagnosis().cause(), v1::CONTAINER_OOM);
    ASSERT_THAT(answer.decision().resources(), SizeIs(1));
    EXPECT_EQ(answer.decision().resources(0).container(),
              "spark-kubernetes-executor");
    EXPECT_THAT(answer.diagnosis().first_step().text(),
                HasSubstr("spark.executor.memory"));
  }
  const auto driver =
      AnswerToEnd({.words = "java.lang.OutOfMemoryError: Java heap space",
                   .container = "spark-kubernetes-driver"});
  ASSERT_THAT(driver.decision().resources(), SizeIs(1));
  EXPECT_EQ(driver.decision().resources(0).container(),
            "spark-kubernetes-driver");
  EXPECT_THAT(driver.diagnosis().first_step().text(),
              HasSubstr("spark.driver.memory"));
}

TEST(KilledChild, ExplainsMoreThanTheCodeOfItsLauncher) {
  for (const char* words :
       {"c++: fatal error: Killed signal terminated program cc1plus\n"
        "compilation terminated.\nmake: *** [Makefile:10: a.o] Error 1",
        "collect2: fatal error: ld terminated with signal 9 [Killed]\n"
        "compilation terminated.\nmake[1]: *** [a] Error 1",
        "run.sh: line 3:    17 Killed                  python train.py",
        "process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)",
        "xargs: python: terminated by signal 9",
        "Command terminated by signal 9", "npm ERR! signal SIGKILL",
        "pid 31 SIGKILL (signal 9)", "wait4: child 7: signal: killed",
        "subprocess returned with returncode -9",
        "make: *** [Makefile:4: train] Error 137",
        "main process exited, code=killed, status=9/KILL",
        "zsh: killed     python train.py"}) {
    for (const int exit_code : {1, 2, 70, 125}) {
      const auto answer = AnswerToEnd({.words = words, .exit_code = exit_code});
      EXPECT_EQ(answer.diagnosis().cause(), v1::SIGKILL_UNEXPLAINED)
          << words << " with " << exit_code;
      EXPECT_EQ(answer.diagnosis().fault_domain(),
                v1::Diagnosis::RESOURCE_LIMIT)
          << words << " with " << exit_code;
    }
  }
}

TEST(KilledChild, NotIfTheLauncherSaysMore) {
  // timeout(1) kills a program that takes too long.
  EXPECT_EQ(
      AnswerToEnd({.words = "Killed", .exit_code = 124}).diagnosis().cause(),
      v1::DEADLINE_POD);
  EXPECT_EQ(AnswerToEnd({.words = "sending signal SIGKILL to the children",
                         .exit_code = 2})
                .diagnosis()
                .cause(),
            v1::CONFIG_USER_ERROR);
  EXPECT_EQ(AnswerToEnd({.words = "Segmentation fault", .exit_code = 2})
                .diagnosis()
                .cause(),
            v1::CRASH_SIGNAL);
}

TEST(ReadOnly, IsAMistakeAtOnceAndABrokenDiskAfterHours) {
  for (const char* words :
       {"OSError: [Errno 30] Read-only file system: '/data/ckpt/1.pt'",
        "open /data/x: read-only file system",
        "touch: cannot touch '/out/a': Read-only file system"}) {
    SCOPED_TRACE(words);
    const auto at_once = AnswerToEnd({.words = words, .ran = 2});
    EXPECT_EQ(at_once.diagnosis().cause(), v1::CONFIG_USER_ERROR);
    EXPECT_EQ(at_once.decision().action(), v1::Decision::FAIL);
    const auto late = AnswerToEnd({.words = words, .ran = 5 * kOneHour});
    EXPECT_EQ(late.diagnosis().cause(), v1::DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(late.diagnosis().fault_domain(), v1::Diagnosis::INFRASTRUCTURE);
    EXPECT_EQ(late.decision().action(), v1::Decision::RETRY);
    ASSERT_THAT(late.decision().placement().avoid_nodes(), SizeIs(1));
    EXPECT_EQ(late.decision().placement().avoid_nodes(0).node(), "n");
    EXPECT_EQ(late.diagnosis().first_step().actor(), v1::FirstStep::PLATFORM);
  }
}

enum class Folder : std::uint8_t { kNone, kOfNode, kClaim, kEmpty };

v1::DecideRequest DamagedCacheOn(Folder folder) {
  auto request = RequestOfEnd(
      {.words = "EOFError: /models/.cache/hub/blobs/1f is truncated"});
  auto& spec = *request.mutable_report()->mutable_pods(0)->mutable_spec();
  if (folder == Folder::kNone) return request;
  auto& mount = *spec.mutable_containers(0)->add_volume_mounts();
  mount.set_name("cache");
  mount.set_mount_path("/models/.cache");
  auto& volume = *spec.add_volumes();
  volume.set_name("cache");
  if (folder == Folder::kOfNode) {
    volume.mutable_host_path()->set_path("/var/cache/hub");
  } else if (folder == Folder::kClaim) {
    volume.mutable_persistent_volume_claim()->set_claim_name("hub");
  } else {
    volume.mutable_empty_dir();
  }
  return request;
}

TEST(DamagedCache, IsTheNodesIfItsFolderIs) {
  for (const Folder folder :
       {Folder::kNone, Folder::kOfNode, Folder::kClaim, Folder::kEmpty}) {
    const auto answer = AnswerToEnd(DamagedCacheOn(folder));
    const bool of_node = folder == Folder::kOfNode;
    EXPECT_EQ(answer.diagnosis().cause(), v1::DATA_OR_NUMERIC);
    EXPECT_EQ(
        answer.diagnosis().fault_domain(),
        of_node ? v1::Diagnosis::INFRASTRUCTURE : v1::Diagnosis::APPLICATION);
    EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
    EXPECT_EQ(answer.decision().placement().avoid_nodes_size(),
              of_node ? 1 : 0);
  }
}

// As in Kubernetes' protobuf encoding.
TEST(DamagedCache, IsTheNodesInProtobufToo) {
  auto request = DamagedCacheOn(Folder::kOfNode);
  auto& volume = *request.mutable_report()
                      ->mutable_pods(0)
                      ->mutable_spec()
                      ->mutable_volumes(0);
  *volume.mutable_volume_source()->mutable_host_path() = volume.host_path();
  volume.clear_host_path();
  EXPECT_EQ(AnswerToEnd(request).diagnosis().fault_domain(),
            v1::Diagnosis::INFRASTRUCTURE);
}

// A sidecar is an init container, and has a run time too.
TEST(Sidecar, ThatIsTheCulpritHasARunTime) {
  auto request = RequestOfEnd({.words = "connection refused", .ran = kOneHour});
  auto& pod = *request.mutable_report()->mutable_pods(0);
  auto& sidecar = *pod.mutable_spec()->add_init_containers();
  sidecar.set_name("proxy");
  sidecar.set_restart_policy("Always");
  auto& status = *pod.mutable_status()->add_init_container_statuses();
  status.set_name("proxy");
  status.set_restart_count(1);
  auto& killed = *status.mutable_last_state()->mutable_terminated();
  killed.set_exit_code(137);
  killed.set_reason("OOMKilled");
  killed.mutable_started_at()->set_seconds(kEndsAt - kOneHour);
  killed.mutable_finished_at()->set_seconds(kEndsAt - 10);
  auto& stopped = *status.mutable_state()->mutable_terminated();
  stopped.set_exit_code(143);
  stopped.mutable_started_at()->set_seconds(kEndsAt - 8);
  stopped.mutable_finished_at()->set_seconds(kEndsAt + 1);
  const auto answer = AnswerToEnd(request);
  ASSERT_EQ(answer.diagnosis().culprit().container(), "proxy");
  ASSERT_THAT(answer.ledger().history(), SizeIs(1));
  EXPECT_TRUE(answer.ledger().history(0).has_ran_for());
  EXPECT_GT(answer.ledger().history(0).ran_for().seconds(), kOneHour / 2);
}

}  // namespace
}  // namespace mulligan
