// The line of a log in which a program reports its error.
#ifndef MULLIGAN_POLICY_WORDS_ERROR_LINE_H_
#define MULLIGAN_POLICY_WORDS_ERROR_LINE_H_

#include <string>
#include <string_view>

#include "mulligan/v1/report.pb.h"
#include "policy/words/answered.h"

namespace mulligan::words {

// Returns the last line of `log` that reports an error, without rank, time and
// level: "KeyError: 'input_ids'". At most kMaxExcerpt bytes, cut between words
// with a mark. Empty if there is none.
std::string LastErrorLine(std::string_view log);

// Returns the program's line that decided, else the last error line of the
// culprit container's termination message, else its last line. Empty for causes
// that programs do not report.
std::string ErrorLineOf(const Answered& answered);

// Returns the final output of the culprit container, or of `report.exit`.
std::string_view LogOf(const v1::FailureReport& report, const Culprit& culprit);

// Returns the last line that a structured logger wrote as an error, else the
// last nonblank line, cut in the same way.
std::string LastLine(std::string_view log);

// Returns the first line of a text, cut in the same way.
std::string FirstLine(std::string_view text);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ERROR_LINE_H_
