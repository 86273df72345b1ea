// Search for many fixed words in one pass.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_KEYWORD_MATCHER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_KEYWORD_MATCHER_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mulligan::demystify {

// An Aho-Corasick automaton over ASCII-folded text, the prefilter of the text
// tables. It needs one table look-up per byte, no allocation and no lock, and
// its memory is fixed at construction. Immutable; safe to share.
class KeywordMatcher {
 public:
  static constexpr std::size_t kMaxKeywords = 1536;
  // One bit per keyword, lowest first.
  using Hits = std::array<std::uint64_t, kMaxKeywords / 64>;

  // REQUIRES: keywords are program constants, in lower case and not empty.
  // Aborts if there are more than kMaxKeywords.
  explicit KeywordMatcher(const std::vector<std::string_view>& keywords);

  // Sets the bit of every keyword in `text`. Returns whether it has any.
  bool Match(std::string_view text, Hits& hits) const;

 private:
  static constexpr std::uint32_t kReports = 0x80000000U;

  void AddKeyword(std::string_view keyword, std::uint16_t number);
  void LinkStates();
  std::uint32_t& Next(std::uint32_t state, std::uint32_t symbol) {
    return next_[state * symbols_ + symbol];
  }

  // Maps a byte to its column in next_; bytes in no keyword share column 0.
  std::array<std::uint8_t, 256> symbol_{};
  std::uint32_t symbols_ = 1;
  // One row per state. The top bit: the target state reports keywords.
  std::vector<std::uint32_t> next_;
  // Keywords that end in each state, including its suffixes.
  std::vector<std::vector<std::uint16_t>> reports_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_KEYWORD_MATCHER_H_
