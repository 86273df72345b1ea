// A case of a suite, made from what is seen.
#ifndef MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
#define MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/desk/failure.h"
#include "client/cli/desk/question.h"

namespace mulligan::cli {

// `question.suite`, or a new one when that is empty, with a case that expects
// of each attempt what was answered: YAML that `mulligan policy test` passes
// beside the policies. Lines and comments of the suite stay. INVALID_ARGUMENT
// when the suite has errors, or has comments that cannot.
absl::StatusOr<std::string> KeepCase(const Question& question,
                                     const Failure& failure,
                                     const std::vector<Attempted>& attempts);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
