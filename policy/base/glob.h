// Patterns with stars.
#ifndef MULLIGAN_POLICY_BASE_GLOB_H_
#define MULLIGAN_POLICY_BASE_GLOB_H_

#include <string_view>

namespace mulligan {

// Returns whether `text` matches `glob`, in which `*` matches any number of
// characters. Everything else is literal.
bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_GLOB_H_
