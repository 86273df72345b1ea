// The placeholders of remedies, in braces, and their values.
#ifndef MULLIGAN_POLICY_WORDS_PLACEHOLDERS_H_
#define MULLIGAN_POLICY_WORDS_PLACEHOLDERS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/words/particulars.h"

namespace mulligan::words {

using Placeholders = std::vector<std::pair<std::string, std::string>>;

// Returns the values for all remedies: "{pod}" stands for "pod a-0". The checks
// of rows (tools/rows/remedies.cc) and of policies (user_signatures.cc) must
// know every placeholder.
Placeholders PlaceholdersOf(const Particulars& found);

// Replaces the placeholders in one pass; values are not scanned again.
std::string Fill(std::string_view text, const Placeholders& values);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_PLACEHOLDERS_H_
