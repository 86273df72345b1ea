// Recognises text that users paste instead of objects: kubectl's output for
// people, and logs.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// Returns what `text` is and what is expected instead: "an error of kubectl,
// expected objects: ...". Empty if it may be objects or a log.
std::string_view DescribePasted(std::string_view text);

// Returns whether the first line of `log` comes from a structured logger: a
// JSON object with a message, and a level or a time.
bool IsJsonLog(std::string_view log);

// Returns the FailureReport, in JSON, of work with only the end of its log.
std::string ReportOfLog(std::string_view log);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PASTED_H_
