// Kinds by their names, of those in THE table (kinds.h).
#ifndef MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_
#define MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_

#include <string_view>

#include "policy/request/kinds.h"

namespace mulligan {

// The first row of `name`, letter by letter; null: none of ours.
const Kind* FindKind(std::string_view name);

// Seniority of the kind of this name; -1 for an empty one.
int SeniorityOf(std::string_view name);

// Whether `name` is a kind that this version knows.
bool IsKnownKind(std::string_view name);

// The known kind that `name` is a slip of the pen for: the same but for case, a
// plural s, or one letter after the first (a swap of neighbours counts as one).
// Empty for known kinds and for all that are none of ours.
std::string_view MeantKind(std::string_view name);

// Whether `name` is one of training-operator's.
bool IsTrainingKind(std::string_view name);

// The group of "batch/v1" is "batch", that of "v1" is "".
std::string_view ApiGroup(std::string_view api_version);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KIND_NAMES_H_
