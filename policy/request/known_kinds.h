// The kinds of workloads this version knows.
#ifndef MULLIGAN_POLICY_REQUEST_KNOWN_KINDS_H_
#define MULLIGAN_POLICY_REQUEST_KNOWN_KINDS_H_

#include <string_view>

namespace mulligan {

// Whether `kind` is one of them, letter by letter.
bool IsKnownKind(std::string_view kind);

// The known kind that `kind` is a slip of the pen for: the same but for case, a
// plural s, or one letter after the first (a swap of neighbours counts as one).
// Empty for known kinds and for all that are none of ours.
std::string_view MeantKind(std::string_view kind);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KNOWN_KINDS_H_
