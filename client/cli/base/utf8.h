// Text that messages, JSON and terminals can take: termination messages are
// bytes of user programs.
#ifndef MULLIGAN_CLIENT_CLI_BASE_UTF8_H_
#define MULLIGAN_CLIENT_CLI_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan::cli {

// Appends a code point in UTF-8; surrogates and values above U+10FFFF become
// U+FFFD.
void AppendUtf8(uint32_t code_point, std::string& text);

// Replaces what protobuf's JSON parser would refuse a whole document for:
// bytes that are not UTF-8, and \u escapes of half a surrogate pair, each by
// U+FFFD. Returns whether anything was replaced.
bool RepairText(std::string& json);

// `text` for a terminal: one line, runs of white space as one space, and what
// could steer or deceive as its escape (policy/base/utf8.h).
std::string Printable(std::string_view text);

// Columns `text` takes, counting every code point as one.
size_t DisplayWidth(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_UTF8_H_
