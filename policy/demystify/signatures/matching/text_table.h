// Signatures found in texts: log tails, kubelet and API messages.
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

// One text signature: `keyword` occurs in the text (ASCII case ignored) and,
// where given, `pattern` (RE2, case ignored, `.` matches newlines) does too.
struct TextSignature {
  // Lower case. Mostly a part that every match of `pattern` has.
  std::string_view keyword;
  // Null: the keyword alone is enough.
  const char* pattern;
  Signature row;
};

// Texts longer than this are read at their beginning and their end only.
inline constexpr std::size_t kScannedHead = 2048;
inline constexpr std::size_t kScannedTail = 6144;

// A table. Rows are ordered: the first that matches is the answer,
// so that the telling rows stand above the vague ones. Immutable; safe to
// share.
class TextTable {
 public:
  // Rows and patterns are program constants.
  TextTable(std::string_view name, std::span<const TextSignature> rows);
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  // The first row that matches; null when none does. `at`, where given, gets
  // the position of its match. What it costs is taken from `allowance`, where
  // one is given: once that is used up no row matches.
  const TextSignature* Find(std::string_view text, std::size_t* at = nullptr,
                            PatternAllowance* allowance = nullptr) const;

  std::string_view name() const { return name_; }
  std::span<const TextSignature> rows() const { return rows_; }

 private:
  // Where the row matches `text`; npos: nowhere.
  std::size_t PositionOf(std::size_t row, std::string_view text) const;

  std::string_view name_;
  std::span<const TextSignature> rows_;
  KeywordMatcher keywords_;
  std::deque<LazyPattern> patterns_;
};

// A line of a text, trimmed, and a place in it.
struct LineAt {
  std::string_view line;
  std::size_t at = 0;
};

// The line of `text` around the place `at`.
LineAt LineAround(std::string_view text, std::size_t at);

// Where an excerpt of a line begins that shows its place, with the clause that
// it stands in: callers wrap an error in their own words until nobody sees it.
std::size_t BeginToShow(const LineAt& shown);

// The last line of `text` that is not blank, trimmed.
std::string_view LastLine(std::string_view text);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_TEXT_TABLE_H_
