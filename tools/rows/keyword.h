// Words in every match of a pattern; texts without them are not searched.
#ifndef MULLIGAN_TOOLS_ROWS_KEYWORD_H_
#define MULLIGAN_TOOLS_ROWS_KEYWORD_H_

#include <optional>
#include <string>

namespace mulligan::demystify {

// Returns the lower-case text if `pattern` is a plain literal; else empty.
std::optional<std::string> LiteralOf(const std::string& pattern);

// Returns the longest words, in lower case, that every match of `pattern`
// contains. Empty if RE2 knows none longer than one letter or digit.
// REQUIRES: `pattern` compiles.
std::string RequiredWords(const std::string& pattern);

// Returns what is wrong with `keyword`, in lower case, for `pattern`, as far as
// RE2 knows; empty if nothing is. Either every match contains it, or some do
// and the others would never be found, unless the keyword alone is to count
// (`beside`).
std::string KeywordProblem(const std::string& pattern,
                           const std::string& keyword, bool beside);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_KEYWORD_H_
