// Lookup of kinds by name in the table of kinds.h.
#ifndef MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_
#define MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_

#include <string_view>

#include "policy/request/kinds.h"

namespace mulligan {

// Returns the first row whose name is exactly `name`, or null.
const Kind* FindKind(std::string_view name);

// Returns the seniority of the kind; kUnknownSeniority if the table lacks it,
// -1 if the name is empty.
int SeniorityOf(std::string_view name);

// Returns whether this version supports the kind `name`.
bool IsKnownKind(std::string_view name);

// Returns the known kind that `name` misspells: other case, a plural s, or one
// letter after the first (or two swapped neighbours). Empty if `name` is a
// known kind or resembles none.
std::string_view SuggestKind(std::string_view name);

// Returns whether `name` is a kind of training-operator.
bool IsTrainingKind(std::string_view name);

// Returns the API group: "batch" for "batch/v1", "" for "v1".
std::string_view ApiGroup(std::string_view api_version);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_
