// The kinds of workload that metrics tell apart.
#ifndef MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_
#define MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// Values of the label `kind`, the last one for every other kind. Kinds come
// from callers, so only a closed list may become labels.
const std::vector<std::string>& KindLabels();

// Index into KindLabels(). Does not allocate.
std::size_t KindLabelOf(std::string_view kind);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_WORKLOAD_KIND_H_
