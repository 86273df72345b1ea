// What the patterns of a row are looked for by.
#ifndef MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_
#define MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_

#include <string>
#include <vector>

#include "google/protobuf/map.h"
#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"

namespace mulligan::demystify {

// What a row of texts looks for.
struct SearchedText {
  // Lower case.
  std::string keyword;
  // Empty: the keyword alone is enough.
  std::string pattern;
};

// Parts of patterns by name.
using Parts = google::protobuf::Map<std::string, std::string>;

// One text for all patterns of `row`, which stands at `at`; one for each where
// all are plain words or have no words in common. Problems go to `report`.
std::vector<SearchedText> SearchedTexts(const signatures::Row& row,
                                        const Parts& parts,
                                        const std::string& at,
                                        IssueReporter& report);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_SEARCHED_TEXTS_H_
