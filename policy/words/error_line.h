// The line in which a program says what it failed of.
#ifndef MULLIGAN_POLICY_WORDS_ERROR_LINE_H_
#define MULLIGAN_POLICY_WORDS_ERROR_LINE_H_

#include <string>
#include <string_view>

#include "mulligan/v1/report.pb.h"
#include "policy/words/answered.h"

namespace mulligan::words {

// The last line of `log` that tells of an error, without rank, time and level:
// "KeyError: 'input_ids'". At most kMaxExcerpt bytes, cut between words, with a
// mark of the cut. Empty: no line does.
std::string LastErrorLine(std::string_view log);

// The line that decided where a program's own words did, else the last error
// line of the culprit container's termination message, else its last line.
// Empty for causes that no program tells of.
std::string ErrorLineOf(const Answered& answered);

// What the culprit container said at its end, or a caller of `report.exit`.
std::string_view LogOf(const v1::FailureReport& report, const Culprit& culprit);

// The last line that a structured logger wrote as an error, else the last that
// is not blank, likewise.
std::string LastLine(std::string_view log);

// What a text says first, cut likewise.
std::string FirstLine(std::string_view text);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ERROR_LINE_H_
