// The keys of one JSON object.
#ifndef MULLIGAN_CLIENT_CLI_BASE_KEY_SET_H_
#define MULLIGAN_CLIENT_CLI_BASE_KEY_SET_H_

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// The text they are views of outlives it.
class KeySet {
 public:
  // Returns false for a key that was inserted before.
  bool Insert(std::string_view key) {
    if (few_.size() < kFew) {
      if (std::find(few_.begin(), few_.end(), key) != few_.end()) return false;
      few_.push_back(key);
      return true;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return many_.insert(key).second;
  }

 private:
  // Up to here looking through all is faster.
  static constexpr std::size_t kFew = 32;

  std::vector<std::string_view> few_;
  std::set<std::string_view> many_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_KEY_SET_H_
