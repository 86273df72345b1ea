// The workload kinds that metrics distinguish.
#ifndef MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_
#define MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// Values of the label `kind`; the last one covers all other kinds. The list is
// closed because callers choose the kinds.
const std::vector<std::string>& KindLabels();

// Returns the index into KindLabels(). Does not allocate.
std::size_t KindLabelOf(std::string_view kind);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_
