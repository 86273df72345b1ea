// Stores names as numbers, for millions of entries.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_NAMES_H_
#define MULLIGAN_CLIENT_CLI_REPORT_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace mulligan::cli {

// Thread-safe. A fleet has some thousand nodes, images and teams. Names come
// from outside, so all beyond kMax share one number.
class Names {
 public:
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::uint32_t kOthers = 1;
  static constexpr std::size_t kMax = 1 << 17;

  // Returns kNone for the empty name.
  std::uint32_t NumberOf(std::string_view name) {
    if (name.empty()) return kNone;
    const std::lock_guard lock(mutex_);
    if (name == names_[kOthers]) return kOthers;
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    if (names_.size() >= kMax) return kOthers;
    const auto number = static_cast<std::uint32_t>(names_.size());
    numbers_.emplace(names_.emplace_back(name), number);
    return number;
  }

  // Returns "" for kNone and "(others)" for kOthers.
  std::string NameOf(std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return names_[number];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> names_ = {"", "(others)"};  // guarded by mutex_
  // Points into names_; guarded by mutex_.
  absl::flat_hash_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_NAMES_H_
