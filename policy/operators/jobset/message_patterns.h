// onJobFailureMessagePatterns: regular expressions of Go.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_MESSAGE_PATTERNS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_MESSAGE_PATTERNS_H_

#include <memory>
#include <string>

#include "policy/base/pattern_allowance.h"

namespace re2 {
class RE2;
}

namespace mulligan::jobset {

// Compiles the patterns of one request. Go's expressions are RE2's but for: \C
// is none of them, (?<name>...) is one, names are ASCII. Go has no bound on
// their size; here a few may be larger than the patterns of a policy.
class MessagePatterns {
 public:
  explicit MessagePatterns(PatternAllowance& allowance)
      : allowance_(allowance) {}

  // Null, with the reason in `error`, when it does not compile, is too large or
  // beyond the allowance.
  std::unique_ptr<const re2::RE2> Compile(const std::string& pattern,
                                          std::string& error);

 private:
  PatternAllowance& allowance_;
  int large_left_ = 8;
};

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_MESSAGE_PATTERNS_H_
