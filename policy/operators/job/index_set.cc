#include "policy/operators/job/index_set.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace mulligan::job {
namespace {

std::optional<std::int64_t> Number(std::string_view text) {
  // SimpleAtoi would skip white space, which the controller does not.
  if (text.empty() || text.find_first_of(" \t\n\r\f\v") != text.npos) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &value)) {
    return std::nullopt;
  }
  return value;
}

// The part before `separator`; `text` becomes the rest.
std::string_view TakeUntil(char separator, std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

IndexSet IndexSet::Parse(std::string_view text, std::int64_t completions) {
  IndexSet set;
  while (!text.empty()) {
    std::string_view part = TakeUntil(',', text);
    const bool is_range = part.find('-') != part.npos;
    const auto first = Number(TakeUntil('-', part));
    if (!first.has_value()) continue;
    if (*first >= completions) break;
    const auto last = is_range ? Number(TakeUntil('-', part)) : first;
    if (last.has_value()) set.Add(*first, std::min(*last, completions - 1));
  }
  return set;
}

std::int64_t IndexSet::total() const {
  std::int64_t count = 0;
  for (const auto& [first, last] : intervals_) count += last - first + 1;
  return count;
}

bool IndexSet::Contains(std::int64_t index) const {
  const auto after = intervals_.upper_bound(index);
  return after != intervals_.begin() && std::prev(after)->second >= index;
}

void IndexSet::Add(std::int64_t first, std::int64_t last) {
  if (last < first) return;
  auto next = intervals_.upper_bound(first);
  if (next != intervals_.begin() && std::prev(next)->second >= first - 1) {
    --next;
    first = next->first;
  }
  while (next != intervals_.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = intervals_.erase(next);
  }
  intervals_.emplace(first, last);
}

void IndexSet::Add(const IndexSet& other) {
  for (const auto& [first, last] : other.intervals_) Add(first, last);
}

std::int64_t IndexSet::CountIn(const IndexSet& other) const {
  std::int64_t count = 0;
  auto theirs = other.intervals_.begin();
  for (const auto& [first, last] : intervals_) {
    while (theirs != other.intervals_.end() && theirs->second < first) {
      ++theirs;
    }
    for (auto each = theirs;
         each != other.intervals_.end() && each->first <= last; ++each) {
      count += std::min(last, each->second) - std::max(first, each->first) + 1;
    }
  }
  return count;
}

}  // namespace mulligan::job
