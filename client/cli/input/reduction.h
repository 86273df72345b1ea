// Reduces pods and events to what a request may hold.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "client/cli/input/pod_selection.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

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
