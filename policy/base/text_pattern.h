// Regular expressions of policies and of objects in reports, with bounds on
// what they may cost.
//
// RE2 takes time linear in the text, but also in the size of an expression it
// has no automaton for: a short hostile pattern takes 10 us a byte. Compiling
// takes 1 us an instruction, and 350 us for every class such as \PL.
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

// What one pattern may use.
struct PatternBounds {
  int program = kMaxPatternProgram;
  std::int64_t memory = kMaxPatternMemory;
};

// Within kMaxPatternBytes and `bounds`, and what compiling costs taken from
// `allowance`. Null, with the reason in `error` ("is not an RE2 expression:
// ..."), for others.
std::unique_ptr<const re2::RE2> MakePattern(const std::string& pattern,
                                            PatternAllowance& allowance,
                                            std::string& error,
                                            const PatternBounds& bounds = {});

// Whether an error of MakePattern says that the bounds are too narrow.
bool IsTooLarge(std::string_view error);

// The pattern of a policy at `path`. Null, with an error reported, when
// MakePattern refuses it. Suspicious patterns get a warning.
std::unique_ptr<const re2::RE2> CompilePattern(const std::string& pattern,
                                               const std::string& path,
                                               PatternAllowance& allowance,
                                               IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_TEXT_PATTERN_H_
