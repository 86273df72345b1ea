#include "policy/demystify/signatures/matching/text_table.h"

#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "policy/base/utf8.h"
#include "policy/demystify/signatures/matching/pattern_options.h"

namespace mulligan::demystify {
namespace {

std::vector<std::string_view> KeywordsOf(std::span<const TextSignature> rows) {
  std::vector<std::string_view> keywords;
  keywords.reserve(rows.size());
  for (const TextSignature& row : rows) keywords.push_back(row.keyword);
  return keywords;
}

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) {
    return absl::ascii_isspace(static_cast<unsigned char>(c));
  };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the offset of `word`, ignoring case; npos if absent.
// REQUIRES: `word` is in lower case.
std::size_t PositionOfWord(std::string_view text, std::string_view word) {
  const auto found = std::search(
      text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
        return absl::ascii_tolower(static_cast<unsigned char>(a)) == b;
      });
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

}  // namespace

TextTable::TextTable(std::string_view name, std::span<const TextSignature> rows)
    : name_(name), rows_(rows), keywords_(KeywordsOf(rows)) {
  for (const TextSignature& row : rows) {
    patterns_.emplace_back(row.pattern, PatternOptions());
  }
}

std::size_t TextTable::PositionOf(std::size_t row,
                                  std::string_view text) const {
  const LazyPattern& pattern = patterns_[row];
  if (!pattern.exists()) return PositionOfWord(text, rows_[row].keyword);
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!pattern.compiled().Match(whole, 0, whole.size(), re2::RE2::UNANCHORED,
                                &match, 1)) {
    return std::string_view::npos;
  }
  // The keyword inside the match; a pattern that only tests the context does
  // not contain it.
  const auto begin = static_cast<std::size_t>(match.data() - whole.data());
  const std::size_t word =
      PositionOfWord({match.data(), match.size()}, rows_[row].keyword);
  return word != std::string_view::npos
             ? begin + word
             : PositionOfWord(text, rows_[row].keyword);
}

const TextSignature* TextTable::Find(std::string_view text, std::size_t* at,
                                     PatternAllowance* allowance) const {
  const std::size_t bytes = std::min(text.size(), kScannedHead + kScannedTail);
  const auto may_read = [allowance, bytes] {
    return allowance == nullptr || allowance->TakeReading(bytes);
  };
  if (text.empty() || !may_read()) return nullptr;
  KeywordMatcher::Hits hits{};
  std::string_view head = text;
  std::string_view tail;
  if (text.size() > kScannedHead + kScannedTail) {
    head = text.substr(0, kScannedHead);
    tail = text.substr(text.size() - kScannedTail);
  }
  bool any = keywords_.Match(head, hits);
  any |= !tail.empty() && keywords_.Match(tail, hits);
  if (!any) return nullptr;
  for (std::size_t word = 0; word < hits.size(); ++word) {
    for (std::uint64_t bits = hits[word]; bits != 0; bits &= bits - 1) {
      const std::size_t row =
          64 * word + static_cast<std::size_t>(std::countr_zero(bits));
      if (!may_read()) return nullptr;
      std::size_t found = PositionOf(row, head);
      if (found == std::string_view::npos && !tail.empty()) {
        found = PositionOf(row, tail);
        if (found != std::string_view::npos) found += text.size() - tail.size();
      }
      if (found == std::string_view::npos) continue;
      if (at != nullptr) *at = found;
      return &rows_[row];
    }
  }
  return nullptr;
}

LineAt LineAround(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const std::size_t before = text.substr(0, at).rfind('\n');
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = Trim(text.substr(begin, end - begin));
  const auto from = static_cast<std::size_t>(line.data() - text.data());
  return {line, std::min(at - std::min(at, from), line.size())};
}

std::size_t BeginToShow(const LineAt& shown) {
  // Bytes that fit with the mark of a cut, and bytes shown after the match.
  constexpr std::size_t kShown = kMaxExcerpt - 16;
  constexpr std::size_t kAfter = 96;
  const std::string_view line = shown.line;
  const std::size_t end = std::min(line.size(), shown.at + kAfter);
  if (end <= kMaxExcerpt) return 0;
  const std::size_t from =
      std::min(Utf8Boundary(line, end - std::min(end, kShown)), shown.at);
  // Starts at the first clause from there, else at a word.
  const std::string_view before = line.substr(from, (shown.at - from) / 2);
  for (const std::string_view mark : {": ", ". ", " "}) {
    const std::size_t found = before.find(mark);
    if (found != before.npos) return from + found + mark.size();
  }
  return from;
}

std::string_view LastLine(std::string_view text) {
  text = Trim(text);
  const std::size_t before = text.rfind('\n');
  return before == std::string_view::npos ? text
                                          : Trim(text.substr(before + 1));
}

}  // namespace mulligan::demystify
