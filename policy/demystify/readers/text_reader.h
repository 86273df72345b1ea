// What the text tables know about a text.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_

#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// Whether a signature of the policy knows the text at `place`.
bool UsersOwnReads(const Candidates& candidates, const Place& place);

// Adds what `table` knows about `text` to `candidates`, read at `place`.
// Returns the row, null when the table knows nothing.
const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place, Seconds at);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_TEXT_READER_H_
