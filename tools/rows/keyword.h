// What every text that a pattern matches has in it: texts without it are not
// searched for the pattern at all.
#ifndef MULLIGAN_TOOLS_ROWS_KEYWORD_H_
#define MULLIGAN_TOOLS_ROWS_KEYWORD_H_

#include <optional>
#include <string>

namespace mulligan::demystify {

// The words that `pattern` stands for when it is nothing else, in lower case.
std::optional<std::string> LiteralOf(const std::string& pattern);

// The longest words, in lower case, that every match of `pattern` has; empty
// when RE2 sees none but a letter or digit, which most texts have. The pattern
// must compile.
std::string RequiredWords(const std::string& pattern);

// What is wrong with `keyword`, in lower case, beside `pattern`, as far as RE2
// sees: every match has it, or some have it and others can never be found,
// unless they are to count `beside` it alone. Empty: nothing.
std::string KeywordProblem(const std::string& pattern,
                           const std::string& keyword, bool beside);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_KEYWORD_H_
