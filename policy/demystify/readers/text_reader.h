// Matches of the text tables.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_

#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// Returns whether a signature of the policy matched the text at `place`.
bool HasUserSignature(const Candidates& candidates, const Place& place);

// Returns whether the text is about an image or its pull, so that ImageTexts()
// applies. The runtime's daemon reports other errors, too.
bool IsAboutImage(std::string_view text);

// Adds and returns the row of `table` that matches `text`; null if none does.
const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place, Seconds at);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
