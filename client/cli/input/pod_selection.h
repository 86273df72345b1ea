// Which pods of a workload that is too large for one request are sent.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_POD_SELECTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_POD_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Pods of a workload in one request, and their bytes: with Jobs, nodes and
// events it stays below kMaxRequestBytes (policy/limits.h).
inline constexpr int kMostSentPods = 2000;
inline constexpr std::size_t kMostSentPodBytes = std::size_t{5} << 19;

// What the selection goes by; little, to be kept of every pod of a long list.
struct PodSigns {
  enum class Health : std::uint8_t { kBroken, kPending, kRunning, kSucceeded };
  Health health = Health::kBroken;
  // Seconds; 0: not known. Trouble ends broken ones only, as do the words.
  std::int64_t created = 0;
  std::int64_t ended = 0;
  // Equal for pods that say the same, and for pods on one node; 0: no node.
  std::size_t words = 0;
  std::size_t node = 0;
};

PodSigns SignsOf(const kubernetes::core::v1::Pod& pod);

// The pods to send, by their number, ascending: all where there are no more
// than `most`. Else these, until there are `most`:
//
//   1. of the newest attempt the broken pods whose trouble began first, half;
//   2. the first that says something else: reasons, exit codes and messages,
//      words with a digit taken as one; a quarter;
//   3. the first on each node, and the first of each earlier attempt; a
//      sixteenth each;
//   4. the last 10 broken ones of the newest attempt;
//   5. the newest 10 of those that wait, run and succeeded each;
//   6. all other broken pods, the newest attempt's first, by their times, then
//      all others, newest first.
//
// A pod is broken that failed, is being deleted or has a container that ended
// with an error. Its trouble began with the earliest of the container's end,
// its disruption and its deletion, else with the last change of its conditions.
// An attempt begins with a pod that was created when all broken ones before it
// had ended. (client/go/gather_pods.go has the same rules.)
std::vector<std::size_t> ChoosePods(const std::vector<PodSigns>& pods,
                                    std::size_t most);

// Counts a pod as left out.
void CountOmitted(const PodSigns& pod, v1::PodCounts& counts);

void AddOmitted(const v1::PodCounts& added, v1::PodCounts& counts);

// Leaves the chosen pods of a report within both bounds, counts the others.
void ReducePods(v1::FailureReport& report, std::size_t most = kMostSentPods,
                std::size_t most_bytes = kMostSentPodBytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_POD_SELECTION_H_
