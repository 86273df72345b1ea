#include "policy/loader/suggest.h"

#include <algorithm>
#include <cstddef>

namespace mulligan {
namespace {

// Longer words are no typing mistakes, and the distance is quadratic.
constexpr size_t kLongestWord = 64;

std::string Fold(std::string_view word) {
  std::string folded;
  for (const char c : word) {
    if (c == '_' || c == '-') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return "";
  const std::string folded = Fold(word);
  size_t best = std::max<size_t>(folded.size() / 3, 1) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t distance = Distance(folded, Fold(candidate));
    if (distance == 0) return candidate;
    if (distance < best) {
      best = distance;
      nearest = candidate;
    } else if (distance == best && !nearest.empty()) {
      nearest.clear();
    }
  }
  return nearest;
}

}  // namespace mulligan
