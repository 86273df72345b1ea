// Regular expressions of policies and reports, with bounds on their cost.
//
// RE2 takes time linear in the text and, without an automaton, also in the
// program size: a short hostile pattern takes 10 us per byte. Compiling takes 1
// us per instruction, and 350 us for each class such as \PL.
#ifndef MULLIGAN_POLICY_BASE_TEXT_PATTERN_H_
#define MULLIGAN_POLICY_BASE_TEXT_PATTERN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/limits.h"

namespace re2 {
class RE2;
}

namespace mulligan {

// Bounds of one pattern: program size in instructions, memory in bytes.
struct PatternBounds {
  int program = kMaxPatternProgram;
  std::int64_t memory = kMaxPatternMemory;
};

// Compiles a pattern within kMaxPatternBytes and `bounds`, and charges
// `allowance` for it. On failure returns null and sets `error` to the reason
// ("is not an RE2 expression: ...").
std::unique_ptr<const re2::RE2> MakePattern(const std::string& pattern,
                                            PatternAllowance& allowance,
                                            std::string& error,
                                            const PatternBounds& bounds = {});

// Returns whether an error of MakePattern means that the bounds are too narrow.
bool IsTooLarge(std::string_view error);

// Compiles the pattern at `path` in a policy. If MakePattern refuses it,
// reports an error and returns null. Warns of suspicious patterns.
std::unique_ptr<const re2::RE2> CompilePattern(const std::string& pattern,
                                               const std::string& path,
                                               PatternAllowance& allowance,
                                               IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_TEXT_PATTERN_H_
