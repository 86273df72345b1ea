// What people paste in the place of objects: kubectl's words for people.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PASTED_TEXT_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PASTED_TEXT_H_

#include <string_view>

namespace mulligan::cli {

// What `text` is where it is neither object nor log, and what to give instead:
// "an error of kubectl, expected objects: ...". Empty: it may be one.
std::string_view WhatIsPasted(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PASTED_TEXT_H_
