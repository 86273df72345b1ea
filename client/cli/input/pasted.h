// What people paste in the place of objects: kubectl's words for people, and
// logs.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_

#include <optional>
#include <string>
#include <string_view>

namespace mulligan::cli {

// What `text` is where it is neither object nor log, and what to give instead:
// "an error of kubectl, expected objects: ...". Empty: it may be one.
std::string_view WhatIsPasted(std::string_view text);

// A log whose lines are objects of a structured logger, one JSON object a line,
// in lines of text: "ERROR what was said: the error". Lines between them that
// are none (a traceback) stay as they are. Nothing: it begins otherwise, so
// that it is no such log.
std::optional<std::string> TextOfJsonLog(std::string_view log);

// The FailureReport, in JSON, about work of which nothing is known but the end
// of its log.
std::string ReportOfLog(std::string_view log);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
