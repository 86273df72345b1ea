// Completion indexes as a Job's status lists them ("1,3-5").
#ifndef MULLIGAN_POLICY_BASE_INDEXES_H_
#define MULLIGAN_POLICY_BASE_INDEXES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace mulligan {

// Calls `visit` with the first and last index of each range of `indexes` until
// it returns false. Returns false then, and if the text is empty or malformed.
template <typename Visit>
bool ForEachRange(const std::string& indexes, const Visit& visit) {
  for (const absl::string_view range : absl::StrSplit(indexes, ',')) {
    const std::vector<absl::string_view> ends =
        absl::StrSplit(range, absl::MaxSplits('-', 1));
    std::int32_t first = 0;
    std::int32_t last = 0;
    if (!absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || !visit(first, last)) {
      return false;
    }
  }
  return true;
}

// Calls `visit` with each index, like ForEachRange.
template <typename Visit>
bool ForEachIndex(const std::string& indexes, const Visit& visit) {
  return ForEachRange(indexes, [&](std::int32_t first, std::int32_t last) {
    for (std::int32_t index = first; index <= last; ++index) {
      if (!visit(std::to_string(index))) return false;
    }
    return true;
  });
}

// Returns whether `indexes` contains `index`. False if that is not a number.
inline bool HasIndex(const std::string& indexes, const std::string& index) {
  std::int32_t wanted = 0;
  if (!absl::SimpleAtoi(index, &wanted)) return false;
  bool found = false;
  ForEachRange(indexes, [&](std::int32_t first, std::int32_t last) {
    found = first <= wanted && wanted <= last;
    return !found;
  });
  return found;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_INDEXES_H_
