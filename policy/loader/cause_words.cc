#include "policy/loader/cause_words.h"

#include <string>

#include "absl/strings/ascii.h"

namespace mulligan {
namespace {

struct Word {
  std::string_view reason;
  std::string_view cause;
};

// The cause that a reason most often stands for: a suggestion, not a reading.
constexpr Word kWords[] = {
    {"OOM", "CONTAINER_OOM"},
    {"OOMKilled", "CONTAINER_OOM"},
    {"OOMKilling", "HOST_OOM"},
    {"SystemOOM", "HOST_OOM"},
    {"OutOfMemory", "CONTAINER_OOM"},
    {"Evicted", "NODE_PRESSURE_EVICTED"},
    {"EvictionByEvictionAPI", "DRAINED"},
    {"Drain", "DRAINED"},
    {"Preempted", "PREEMPTED_SCHEDULER"},
    {"Preempting", "PREEMPTED_SCHEDULER"},
    {"PreemptionByScheduler", "PREEMPTED_SCHEDULER"},
    {"DeletionByTaintManager", "TAINT_EVICTED"},
    {"TerminationByKubelet", "NODE_SHUTDOWN"},
    {"NodeShutdown", "NODE_SHUTDOWN"},
    {"Shutdown", "NODE_SHUTDOWN"},
    {"DeletionByPodGC", "NODE_LOST"},
    {"NodeLost", "NODE_LOST"},
    {"NodeNotReady", "NODE_LOST"},
    {"NodeUnreachable", "NODE_LOST"},
    {"Spot", "SPOT_RECLAIMED"},
    {"SpotInterruption", "SPOT_RECLAIMED"},
    {"UnexpectedAdmissionError", "DEVICE_ADMISSION"},
    {"NodeAffinity", "DEVICE_ADMISSION"},
    {"OutOfcpu", "DEVICE_ADMISSION"},
    {"OutOfmemory", "DEVICE_ADMISSION"},
    {"Forbidden", "CREATE_REJECTED"},
    {"Invalid", "CREATE_REJECTED"},
    {"FailedCreate", "CREATE_REJECTED"},
    {"AlreadyExists", "CREATE_CONFLICT"},
    {"Unschedulable", "UNSCHEDULABLE"},
    {"FailedScheduling", "UNSCHEDULABLE"},
    {"ErrImagePull", "IMAGE_INVALID"},
    {"ImagePullBackOff", "IMAGE_INVALID"},
    {"ErrImageNeverPull", "IMAGE_INVALID"},
    {"InvalidImageName", "IMAGE_INVALID"},
    {"RegistryUnavailable", "IMAGE_PULL_TRANSIENT"},
    {"CreateContainerConfigError", "CONFIG_MISSING"},
    {"CreateContainerError", "CONFIG_MISSING"},
    {"ContainerCannotRun", "CONFIG_MISSING"},
    {"StartError", "CONFIG_MISSING"},
    {"FailedMount", "SANDBOX_OR_MOUNT"},
    {"FailedAttachVolume", "SANDBOX_OR_MOUNT"},
    {"FailedCreatePodSandBox", "SANDBOX_OR_MOUNT"},
    {"DeadlineExceeded", "DEADLINE_JOB"},
    {"Unhealthy", "PROBE_KILLED"},
    {"Error", "APP_ERROR"},
    {"CrashLoopBackOff", "APP_ERROR"},
    {"BackoffLimitExceeded", "APP_ERROR"},
    {"Completed", "SUCCEEDED"},
    {"SIGTERM", "SIGTERM_UNEXPLAINED"},
    {"SIGKILL", "SIGKILL_UNEXPLAINED"},
    {"SIGSEGV", "CRASH_SIGNAL"},
    {"SIGABRT", "CRASH_SIGNAL"},
    {"XID", "GPU_FAULT"},
    {"NCCL", "COLLECTIVE_CASCADE"},
};

}  // namespace

std::string_view CauseOfReason(std::string_view reason) {
  for (const Word& word : kWords) {
    if (word.reason == reason) return word.cause;
  }
  const std::string lower = absl::AsciiStrToLower(std::string(reason));
  for (const Word& word : kWords) {
    if (absl::AsciiStrToLower(std::string(word.reason)) == lower) {
      return word.cause;
    }
  }
  return {};
}

}  // namespace mulligan
