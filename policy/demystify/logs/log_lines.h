// Lines of a log, by their roles.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mulligan::demystify {

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

// Blanks in place of all but line ends.
void Blank(std::string& text, std::size_t begin, std::size_t end);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_
