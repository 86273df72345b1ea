// A case of a suite, made from what is seen.
#ifndef MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
#define MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_

#include <string>
#include <string_view>
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

// The text of a suite, to which a case is added where people would write it:
//
// `yaml` with what `entry` says, a text in block style, behind the last entry
// of spec.SECTION, and that section behind the others where it is missing. All
// lines stay as they are, with the line breaks that they have; an empty list
// behind SECTION goes. A guess by indentation: whether it says what it
// should, a parser has to tell. Empty: there is no "spec:" or "SECTION:" on a
// line of its own.
std::string WithEntry(std::string_view yaml, std::string_view section,
                      std::string_view entry);

// `yaml` without those of spec.fixtures, spec.cases and spec that have nothing
// in them, as before the first entry: to a parser they are mistakes.
std::string WithoutEmptySections(std::string_view yaml);

// Whether `yaml` says nothing: empty lines and comments alone.
bool SaysNothing(std::string_view yaml);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_KEPT_CASE_H_
