// What programs write for a terminal only, in the ends of logs that a report
// holds: changes of colour, moves of the cursor. They say nothing, but stand
// between a line's beginning and its first word, and end in a letter, so that
// the word is not found.
#ifndef MULLIGAN_POLICY_REQUEST_TERMINAL_H_
#define MULLIGAN_POLICY_REQUEST_TERMINAL_H_

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Whether RemoveEscapes would change anything.
bool HasEscapes(const v1::FailureReport& report);

// Applies WithoutEscapes (policy/base/utf8.h) to termination messages, to
// report.exit's, and to what operators quote of logs (Kind::clean).
void RemoveEscapes(v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_TERMINAL_H_
