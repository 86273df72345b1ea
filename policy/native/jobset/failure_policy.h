// The failure policy of a JobSet: matching of rules, their patterns, and the
// effect of actions on the JobSet and its restart counters.
#ifndef MULLIGAN_POLICY_NATIVE_JOBSET_FAILURE_POLICY_H_
#define MULLIGAN_POLICY_NATIVE_JOBSET_FAILURE_POLICY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/base/pattern_allowance.h"
#include "policy/native/jobset/objects.h"

namespace re2 {
class RE2;
}

namespace mulligan::jobset {

// Returns the Job whose Failed condition is the oldest, in whole seconds; the
// first listed of several. A condition without a time is the oldest. REQUIRES:
// `failed` is not empty and all Jobs have failed.
const Job* FirstFailedJob(const Jobs& failed);

struct RuleMatch {
  // Null if no rule applies.
  const FailurePolicyRule* rule = nullptr;
  // The earliest failed of the Jobs that the rule applies to.
  const Job* job = nullptr;
};

// Returns the first rule that applies to any of the Jobs; rule order precedes
// failure order. Patterns match anywhere in the message; a pattern that does
// not compile never matches, nor does one not tried because `allowance` is used
// up. A Job without a group matches no rule, not even an empty one. REQUIRES:
// all Jobs have failed.
RuleMatch FindRule(const FailurePolicy& policy, const Jobs& failed,
                   const Gates& gates, PatternAllowance& allowance);

// Compiles the onJobFailureMessagePatterns of one request. They are Go regular
// expressions, which differ from RE2's: no \C, but (?<name>...); names are
// ASCII. Go does not bound their size, so a few may be larger than patterns of
// policies.
class MessagePatterns {
 public:
  explicit MessagePatterns(PatternAllowance& allowance)
      : allowance_(allowance) {}

  // Returns null, with the reason in `error`, if the pattern does not compile,
  // is too large or exceeds the allowance.
  std::unique_ptr<const re2::RE2> Compile(const std::string& pattern,
                                          std::string& error);

 private:
  PatternAllowance& allowance_;
  int large_left_ = 8;
};

inline constexpr std::string_view kFailJobSet = "FailJobSet";

inline constexpr char kReachedMaxRestarts[] = "ReachedMaxRestarts";
inline constexpr char kReachedMaxRestartsMessage[] =
    "jobset failed due to reaching max number of restarts";

// Returns whether the API has this action, including alpha ones.
bool IsKnownAction(std::string_view action);
// Returns whether the action restarts one child Job.
bool IsJobAction(std::string_view action);

// The reaction to a failure.
struct Decision {
  // The effective action: a restart beyond the budget is FailJobSet.
  std::string action = {};
  // The child Job it applies to; empty if no Job has failed (in-place
  // restarts).
  std::string job = {};
  // Reason of the condition Failed or RestartingJobSet; empty for RestartJob*,
  // which sets none.
  std::string reason = {};
  // Message of the condition and of the restart's event.
  std::string message = {};
  // Whether the restart uses budget or failed for lack of it, and the use after
  // it.
  bool counted = false;
  std::int64_t used = 0;
};

// Decides about failed child Jobs and counts a restart in `status`. Fails the
// JobSet if it has no failure policy; otherwise applies the first matching
// rule, or RestartJobSet if none matches. REQUIRES: `failed` is not empty.
//
// Returns an error, and changes nothing, if the controller repeats the pass
// forever: gate off, labels without a counter, unknown action.
absl::StatusOr<Decision> ApplyFailurePolicy(const JobSetSpec& spec,
                                            const Jobs& failed,
                                            const Gates& gates,
                                            PatternAllowance& patterns,
                                            JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_NATIVE_JOBSET_FAILURE_POLICY_H_
