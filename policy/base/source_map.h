// Where each field of a policy message stood in its file.
#ifndef MULLIGAN_POLICY_BASE_SOURCE_MAP_H_
#define MULLIGAN_POLICY_BASE_SOURCE_MAP_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "policy/base/issue.h"

namespace mulligan {

// Maps field paths such as "spec.rules[2].then.budget" (JSON names, map keys
// as "spec.budgets[application]") to positions. A policy that did not come
// from a file has an empty map. Immutable once filled; safe to share.
class SourceMap {
 public:
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  void Add(std::string path, Position position) {
    positions_.insert_or_assign(std::move(path), position);
  }

  // Position of `path`, or of its nearest recorded ancestor.
  Position Find(std::string_view path) const;

  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, Position, std::less<>> positions_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_SOURCE_MAP_H_
