// What people paste in the place of objects: kubectl's words for people, and
// logs.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// What `text` is where it is neither object nor log, and what to give instead:
// "an error of kubectl, expected objects: ...". Empty: it may be one.
std::string_view WhatIsPasted(std::string_view text);

// Whether `log` begins with a line of a structured logger: an object of JSON
// with a message, and a level or a time.
bool IsJsonLog(std::string_view log);

// The FailureReport, in JSON, about work of which nothing is known but the end
// of its log.
std::string ReportOfLog(std::string_view log);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
