// What a request takes of more pods and events than it has room for.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "client/cli/input/pod_selection.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Lists of more pods than a request takes: what is not sent is not parsed with
// care nor kept.
//
// The items of one list that stay. Chosen among the pods of one JobSet, or of
// one controller, as ChoosePods says; pods of nobody and other objects all
// stay.
class ListReduction {
 public:
  // `items` are objects as JSON that CheckJsonValue accepted, of a list of
  // `list_kind`.
  ListReduction(const std::vector<std::string_view>& items,
                std::string_view list_kind, std::size_t most = kMostSentPods);

  bool IsDropped(std::size_t item) const {
    return item < dropped_.size() && dropped_[item];
  }

  // How many pods are counted instead, with the first item that stays of their
  // workload; null: none.
  const v1::PodCounts* Find(std::size_t item) const;

 private:
  std::vector<bool> dropped_;
  std::map<std::size_t, v1::PodCounts> counts_;
};

// Events in one request, and their bytes.
inline constexpr std::size_t kMostSentEvents = 2000;
inline constexpr std::size_t kMostSentEventBytes = std::size_t{1} << 20;

// Leaves the events within both bounds: those about pods that the report does
// not have go first, then those that are no warnings, then the oldest. Returns
// how many went.
int ReduceEvents(v1::FailureReport& report, std::size_t most = kMostSentEvents,
                 std::size_t most_bytes = kMostSentEventBytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REDUCTION_H_
