// Reduces the pods and events of a workload to what a request may hold.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// The most pods of a workload in one request, and their bytes. With Jobs, nodes
// and events, it stays below kMaxRequestBytes (policy/limits.h).
inline constexpr int kMaxSentPods = 2000;
inline constexpr std::size_t kMaxSentPodBytes = std::size_t{5} << 19;

// The basis of the selection. Small, because it is kept for every pod of a long
// list.
struct PodSigns {
  enum class Health : std::uint8_t { kBroken, kPending, kRunning, kSucceeded };
  Health health = Health::kBroken;
  // Seconds since 1970; 0 if unknown. `ended` is when the trouble began. It and
  // the fields below are set for broken pods only.
  std::int64_t created = 0;
  std::int64_t ended = 0;
  // Hashes: equal for pods with the same messages, or on the same node; 0 if
  // the pod has no node.
  std::size_t words = 0;
  std::size_t node = 0;
};

PodSigns SignsOf(const kubernetes::core::v1::Pod& pod);

// Returns the indexes of the pods to send, ascending: all of them, or `most`
// chosen in this order:
//
//   1. Half: broken pods of the newest attempt, whose trouble began first.
//   2. A quarter: the first pod of each distinct text, that is reasons, exit
//      codes and messages, in which all words with a digit are equal.
//   3. A sixteenth each: the first pod of each node and each earlier attempt.
//   4. The last 10 broken pods of the newest attempt.
//   5. The newest 10 each of pending, running and succeeded pods.
//   6. All other broken pods, the newest attempt first, by time. Then all other
//      pods, newest first.
//
// A pod is broken if it failed, is being deleted or has a container that ended
// with an error. Its trouble began at the earliest of the container's end, its
// disruption and its deletion, else at the last change of its conditions. An
// attempt begins with a pod created when all earlier broken ones had ended.
// client/go/gather_pods.go has the same rules.
std::vector<std::size_t> ChoosePods(const std::vector<PodSigns>& pods,
                                    std::size_t most);

// Counts a pod as omitted.
void CountOmitted(const PodSigns& pod, v1::PodCounts& counts);

void AddOmitted(const v1::PodCounts& added, v1::PodCounts& counts);

// Reduces the pods of a report to both bounds and counts the omitted ones.
void ReducePods(v1::FailureReport& report, std::size_t most = kMaxSentPods,
                std::size_t most_bytes = kMaxSentPodBytes);

// Decides which items of one list to keep, so that the others are not fully
// parsed or stored. ChoosePods chooses among the pods of one JobSet or one
// controller. Other pods and other objects all stay.
class ListReduction {
 public:
  // `list_kind` is the kind of the list. REQUIRES: CheckJsonValue accepts each
  // item.
  ListReduction(const std::vector<std::string_view>& items,
                std::string_view list_kind, std::size_t most = kMaxSentPods);

  bool IsDropped(std::size_t item) const {
    return item < dropped_.size() && dropped_[item];
  }

  // Returns the counts of dropped pods if `item` is the first kept one of their
  // workload, else null.
  const v1::PodCounts* Find(std::size_t item) const;

 private:
  std::vector<bool> dropped_;
  std::map<std::size_t, v1::PodCounts> counts_;
};

// The most events in one request, and their bytes.
inline constexpr std::size_t kMaxSentEvents = 2000;
inline constexpr std::size_t kMaxSentEventBytes = std::size_t{1} << 20;

// Reduces the events to both bounds. Drops those about pods that the report
// does not have first, then those that are not warnings, then the oldest.
// Returns how many it dropped.
int ReduceEvents(v1::FailureReport& report, std::size_t most = kMaxSentEvents,
                 std::size_t most_bytes = kMaxSentEventBytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_
