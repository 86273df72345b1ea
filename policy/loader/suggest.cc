#include "policy/loader/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "absl/strings/ascii.h"

namespace mulligan {
namespace {

// Longer words are not misspellings, and the distance is quadratic.
constexpr size_t kLongestWord = 64;

std::string Fold(std::string_view word) {
  std::string folded;
  for (const char c : word) {
    if (c == '_' || c == '-') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

// Returns the optimal string alignment distance (insertions, deletions,
// substitutions, swaps), at most `most`. REQUIRES: both words have at most
// kLongestWord letters.
size_t Distance(std::string_view a, std::string_view b, size_t max) {
  const size_t difference =
      a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference >= max) return max;
  using Row = std::array<std::uint8_t, kLongestWord + 1>;
  Row rows[3];
  Row* before_last = &rows[0];
  Row* last = &rows[1];
  Row* row = &rows[2];
  std::iota(last->begin(), last->begin() + b.size() + 1, std::uint8_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    (*row)[0] = static_cast<std::uint8_t>(i);
    std::uint8_t min = (*row)[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      int distance =
          std::min({(*last)[j] + 1, (*row)[j - 1] + 1,
                    (*last)[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance = std::min(distance, (*before_last)[j - 2] + 1);
      }
      (*row)[j] = static_cast<std::uint8_t>(distance);
      min = std::min(min, (*row)[j]);
    }
    if (min > max) return max;
    Row* const oldest = before_last;
    before_last = last;
    last = row;
    row = oldest;
  }
  return std::min<size_t>((*last)[b.size()], max);
}

struct Word {
  std::string_view reason;
  std::string_view cause;
};

// The usual cause behind a reason, for suggestions only.
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

std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return "";
  const std::string folded = Fold(word);
  size_t best = std::max<size_t>(folded.size() / 3, 1) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const size_t distance = Distance(folded, Fold(candidate), best + 1);
    if (distance == 0) return candidate;
    if (distance < best) {
      best = distance;
      nearest = candidate;
    } else if (distance == best && !nearest.empty()) {
      nearest.clear();
    }
  }
  return nearest;
}

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
