// Patterns with stars.
#ifndef MULLIGAN_POLICY_BASE_GLOB_H_
#define MULLIGAN_POLICY_BASE_GLOB_H_

#include <string_view>

namespace mulligan {

// Whether `text` matches `glob`, in which `*` stands for any run of
// characters, also an empty one. Everything else is literal.
bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_GLOB_H_
