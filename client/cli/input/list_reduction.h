// Lists of more pods than a request takes: what is not sent is not parsed with
// care nor kept.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_LIST_REDUCTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_LIST_REDUCTION_H_

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "client/cli/input/pod_selection.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

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

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_LIST_REDUCTION_H_
