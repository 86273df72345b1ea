// Removes terminal escapes (colours, cursor moves) from log text in a report.
// They end in a letter, so patterns would not find the word after them.
#ifndef MULLIGAN_POLICY_REQUEST_TERMINAL_H_
#define MULLIGAN_POLICY_REQUEST_TERMINAL_H_

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Returns whether RemoveEscapes would change anything.
bool HasEscapes(const v1::FailureReport& report);

// Applies WithoutEscapes (policy/base/utf8.h) to termination messages, to
// report.exit's message and to log text that operators quote (Kind::clean).
void RemoveEscapes(v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_TERMINAL_H_
