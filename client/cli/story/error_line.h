// The line of a log that tells what the program failed of.
#ifndef MULLIGAN_CLIENT_CLI_STORY_ERROR_LINE_H_
#define MULLIGAN_CLIENT_CLI_STORY_ERROR_LINE_H_

#include <string>
#include <string_view>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// The last line of `log` that tells of an error, without rank, time and level:
// "KeyError: 'input_ids'". At most 200 bytes, cut between words. Empty: no line
// does.
std::string LastErrorLine(std::string_view log);

// The line that decided where a program's own words did, else the last error
// line of the culprit container's termination message. Empty for causes that no
// program tells of.
std::string ErrorLineOf(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_ERROR_LINE_H_
