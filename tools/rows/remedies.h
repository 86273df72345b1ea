// Checks the remedies of rows.
#ifndef MULLIGAN_TOOLS_ROWS_REMEDIES_H_
#define MULLIGAN_TOOLS_ROWS_REMEDIES_H_

#include <span>
#include <string>
#include <string_view>

#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"

namespace mulligan::demystify {

// Adds an error for each remedy of the row at `at` that has an invalid pattern,
// a reference to a missing group, or an unknown word in braces.
void CheckRemedies(const signatures::Row& row, const std::string& at,
                   IssueReporter& report);

// Adds an error for each word in braces of `text` that is not one of `words`.
void CheckWordsInBraces(std::string_view text,
                        std::span<const std::string_view> words,
                        const std::string& at, IssueReporter& report);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_REMEDIES_H_
