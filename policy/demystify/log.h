// What a program's last words say about how it ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOG_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOG_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "policy/demystify/context.h"

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

// Lines of a chain of exceptions: what raised it ("Caused by: ", " ---> "),
// where ("\tat ").
enum class ChainLine { kCause, kPlace, kOther };
ChainLine KindInChain(std::string_view line);

// Blanks out what only advises or guesses ("might be caused by ...", "please
// check ..."), from the phrase to the end of its sentence or list. Positions of
// what stays do not move. Returns whether anything was blanked.
bool BlankAdvice(std::string& text);

// Blanks out every line that does not tell of an exception ("ValueError: ...",
// "Caused by: ...", "Exception in thread ..."). Returns whether any does.
bool KeepExceptions(std::string& text);

// Where the traceback of the last uncaught exception begins, together with
// those it was raised from ("During handling of the above exception"). npos:
// there is none.
std::size_t BeginOfLastTraceback(std::string_view text);

// Blanks out lines of low severity: INFO, DEBUG and WARNING as Python, Java,
// glog and TensorFlow write them. Not NCCL's WARN, which reports errors.
// Returns whether anything was blanked.
bool BlankChatter(std::string& text);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOG_H_
