// Makes a case of a suite from what the page shows.
#ifndef MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
#define MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_

#include <string>
#include <string_view>
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

// Returns `yaml` with `entry`, in block style, after the last entry of
// spec.SECTION; a missing section is added after the others. Existing lines and
// their line breaks stay; an empty list after SECTION is removed. Works by
// indentation, so the caller must parse the result to check it. Returns empty
// if "spec:" or "SECTION:" is not on a line of its own.
std::string WithEntry(std::string_view yaml, std::string_view section,
                      std::string_view entry);

// Returns `yaml` without those of spec.fixtures, spec.cases and spec that are
// empty, because a parser rejects them.
std::string WithoutEmptySections(std::string_view yaml);

// Returns whether `yaml` has only blank lines and comments.
bool HasNoContent(std::string_view yaml);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
