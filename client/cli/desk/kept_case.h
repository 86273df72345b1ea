// Makes a case of a suite from what the page shows.
#ifndef MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
#define MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/desk/failure.h"
#include "client/cli/desk/question.h"

namespace mulligan::cli {

// Returns `question.suite`, or a new suite if it is empty, with a case that
// expects the given answers. The YAML passes `mulligan policy test` with the
// policies next to it. Lines and comments of the suite stay. INVALID_ARGUMENT
// if the suite has errors, or comments that cannot stay.
absl::StatusOr<std::string> AddCase(
    const Question& question, const Failure& failure,
    const std::vector<AnsweredAttempt>& attempts);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
