// Matches of the text tables.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_

#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// Returns whether a signature of the policy matched the text at `place`.
bool UsersOwnReads(const Candidates& candidates, const Place& place);

// Returns whether the text is about an image or its pull, so that ImageTexts()
// may read it: errors of the runtime's daemon are of other things, too.
bool IsAboutImage(std::string_view text);

// Adds the row of `table` that matches `text`, read at `place`, and returns it;
// null if none matches.
const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place, Seconds at);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
