// Text for messages, JSON and terminals. Termination messages are arbitrary
// bytes of user programs.
#ifndef MULLIGAN_CLIENT_CLI_BASE_UTF8_H_
#define MULLIGAN_CLIENT_CLI_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/limits.h"

namespace mulligan::cli {

// Appends a code point in UTF-8; U+FFFD for surrogates and values above
// U+10FFFF.
void AppendUtf8(uint32_t code_point, std::string& text);

// Replaces by U+FFFD what makes protobuf's JSON parser reject a whole document:
// bytes that are not UTF-8, and \u escapes of half a surrogate pair.
// Returns whether it replaced anything.
bool RepairText(std::string& json);

// Returns the end of a program's output as a report takes it: valid UTF-8 of at
// most `most` bytes. Replaced bytes count with their replacements.
std::string TailOf(std::string_view output, std::size_t most = kMaxTextBytes);

// Returns `text` for a terminal: on one line, white space collapsed, and
// control or deceptive characters escaped (policy/base/utf8.h).
std::string Printable(std::string_view text);

// Returns the number of columns of `text`, one per code point.
size_t DisplayWidth(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_UTF8_H_
