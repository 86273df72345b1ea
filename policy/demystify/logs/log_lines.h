// Roles of log lines.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mulligan::demystify {

// A line in a chain of exceptions: a cause ("Caused by: ", " ---> ") or a place
// ("\tat ").
enum class ChainLine { kCause, kPlace, kOther };
ChainLine KindInChain(std::string_view line);

// Blanks out advice and guesses ("might be caused by ...", "please check ..."),
// from the phrase to the end of its sentence or list. Positions do not change.
// Returns whether anything was blanked.
bool BlankAdvice(std::string& text);

// Blanks out every line without an exception ("ValueError: ...", "Caused by:
// ...", "Exception in thread ..."). Returns whether a line remains.
bool KeepExceptions(std::string& text);

// Returns the start of the last uncaught exception's traceback, including those
// it was raised from ("During handling of the above exception"); npos if none.
std::size_t BeginOfLastTraceback(std::string_view text);

// Replaces all characters except line ends with blanks.
void Blank(std::string& text, std::size_t begin, std::size_t end);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_LINES_H_
