// What a program's last words say about how it ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOG_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOG_H_

#include <string_view>

#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds what `text`, the end of a log, says to `candidates`, read at `place`.
// Returns the row; null when the log says nothing known.
//
// Lines of a log have roles, and not every line may name the cause:
// 1. Advice and guesses ("this might be caused by ...") never do.
// 2. Lines of low severity (INFO, WARNING) do only where no other line does.
//    Of one's own mistakes they tell nothing: the program went on.
// 3. What could be the echo of another member's death does only where the
//    program did not meet an error of its own before it.
// 4. Of a program that was `killed`, mistakes do only in its last lines: it had
//    gone on after the others.
const Signature* AddLog(Candidates& candidates, std::string_view text,
                        const Place& place, Seconds at, bool killed = false);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOG_H_
