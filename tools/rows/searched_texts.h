// Search terms of a row's patterns.
#ifndef MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_
#define MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_

#include <string>
#include <vector>

#include "google/protobuf/map.h"
#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"

namespace mulligan::demystify {

// One search term of a text row.
struct SearchedText {
  // In lower case.
  std::string keyword;
  // Empty if the keyword alone suffices.
  std::string pattern;
};

// Parts of patterns by name.
using Parts = google::protobuf::Map<std::string, std::string>;

// Returns one search term for all patterns of `row`, which is at `at`; one for
// each if all are plain words or have no words in common. Reports problems.
std::vector<SearchedText> SearchedTexts(const signatures::Row& row,
                                        const Parts& parts,
                                        const std::string& at,
                                        IssueReporter& report);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_
