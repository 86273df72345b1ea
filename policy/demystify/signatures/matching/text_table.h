// Signatures of texts: log tails, kubelet and API messages.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_TEXT_TABLE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_TEXT_TABLE_H_

#include <deque>
#include <span>
#include <string_view>

#include "policy/base/pattern_allowance.h"
#include "policy/demystify/signatures/matching/keyword_matcher.h"
#include "policy/demystify/signatures/matching/lazy_pattern.h"
#include "policy/demystify/signatures/signature.h"

namespace mulligan::demystify {

// A text matches if it contains `keyword` (ASCII case ignored) and, if given,
// matches `pattern` (RE2, case ignored, `.` matches newlines).
struct TextSignature {
  // In lower case. Usually part of every match of `pattern`.
  std::string_view keyword;
  // Null if the keyword alone suffices.
  const char* pattern;
  Signature row;
};

// Longer texts are only searched in this many bytes at their start and end.
inline constexpr std::size_t kScannedHead = 2048;
inline constexpr std::size_t kScannedTail = 6144;

// A table whose first matching row counts, so that specific rows precede vague
// ones. Immutable; safe to share.
class TextTable {
 public:
  // REQUIRES: rows and patterns are program constants.
  TextTable(std::string_view name, std::span<const TextSignature> rows);
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  // Returns the first row that matches; null if none does. Sets `at`, unless
  // null, to the offset of the match. Charges `allowance`, unless null; once
  // that is used up, no row matches.
  const TextSignature* Find(std::string_view text, std::size_t* at = nullptr,
                            PatternAllowance* allowance = nullptr) const;

  std::string_view name() const { return name_; }
  std::span<const TextSignature> rows() const { return rows_; }

 private:
  // Returns the offset of the row's match in `text`; npos if none.
  std::size_t PositionOf(std::size_t row, std::string_view text) const;

  std::string_view name_;
  std::span<const TextSignature> rows_;
  KeywordMatcher keywords_;
  std::deque<LazyPattern> patterns_;
};

// A trimmed line of a text, and an offset in it.
struct LineAt {
  std::string_view line;
  std::size_t at = 0;
};

// Returns the line of `text` that contains the offset `at`.
LineAt LineAround(std::string_view text, std::size_t at);

// Returns where an excerpt of a line must start to show the offset and its
// clause. Programs often wrap an error in long text.
std::size_t BeginToShow(const LineAt& shown);

// Returns the last nonblank line of `text`, trimmed.
std::string_view LastLine(std::string_view text);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_TEXT_TABLE_H_
