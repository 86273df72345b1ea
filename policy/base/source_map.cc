#include "policy/base/source_map.h"

#include <string_view>

namespace mulligan {

Position SourceMap::Find(std::string_view path) const {
  while (!path.empty()) {
    if (const auto found = positions_.find(path); found != positions_.end()) {
      return found->second;
    }
    const std::size_t end = path.find_last_of(".[");
    if (end == std::string_view::npos) break;
    path = path.substr(0, end);
  }
  const auto root = positions_.find(std::string_view());
  return root == positions_.end() ? Position{} : root->second;
}

}  // namespace mulligan
