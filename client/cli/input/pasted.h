// Text that users paste instead of objects: kubectl's output for people, and
// logs.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// Returns what `text` is, if it is neither objects nor a log, and what to give
// instead: "an error of kubectl, expected objects: ...". Empty if it may be one
// of them.
std::string_view DescribePasted(std::string_view text);

// Returns whether the first line of `log` comes from a structured logger: a
// JSON object with a message, and a level or a time.
bool IsJsonLog(std::string_view log);

// Returns the FailureReport, in JSON, of work of which only the end of its log
// is known.
std::string ReportOfLog(std::string_view log);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
