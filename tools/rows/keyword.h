// Finds words that every match of a pattern has. Other texts are not searched.
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

// Returns the problem with `keyword`, in lower case, for `pattern`, as far as
// RE2 knows; empty if none. The keyword is redundant if every match contains
// it. If only some matches do, the others are found only next to the keyword,
// which `elsewhere` (Row.keyword_beside) states as intended.
std::string KeywordProblem(const std::string& pattern,
                           const std::string& keyword, bool elsewhere);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_KEYWORD_H_
