// The words in braces of remedies, and what stands for them.
#ifndef MULLIGAN_POLICY_WORDS_WORDS_H_
#define MULLIGAN_POLICY_WORDS_WORDS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/words/particulars.h"

namespace mulligan::words {

using Words = std::vector<std::pair<std::string, std::string>>;

// Those that any remedy may have: "{pod}" for "pod a-0". A new one is known to
// those who check rows (demystify/signatures: compiler/remedies.cc) and
// policies (user_signatures.cc), too.
Words WordsOf(const Particulars& found);

// `text` with what stands for its words, in one pass: what was put in is never
// read again.
std::string Fill(std::string_view text, const Words& words);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_WORDS_H_
