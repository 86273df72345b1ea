// Which rule of a failure policy a failed child Job meets, the patterns of its
// rules, and what its action does to a JobSet and to its counters of restarts.
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

// Of Jobs that have failed, at least one, the one whose Failed condition is the
// oldest, to the second; of several the first in the list. A condition without
// a time is older than all.
const Job* FirstFailedJob(const Jobs& failed);

struct RuleMatch {
  // Null: no rule applies.
  const FailurePolicyRule* rule = nullptr;
  // The Job of those the rule applies to that failed first.
  const Job* job = nullptr;
};

// The first rule in the list that applies to any of the Jobs, all of which have
// failed: the order of the rules goes before the order of the failures.
// Patterns are searched anywhere in the message; one that does not compile is
// found nowhere. A Job without a group meets no rule, not even an empty one.
// With `allowance` used up, patterns not tried count as not found.
RuleMatch FindRule(const FailurePolicy& policy, const Jobs& failed,
                   const Gates& gates, PatternAllowance& allowance);

// Compiles the onJobFailureMessagePatterns of one request. They are regular
// expressions of Go, which are RE2's but for: \C is none of them, (?<name>...)
// is one, names are ASCII. Go has no bound on their size; here a few may be
// larger than the patterns of a policy.
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

inline constexpr std::string_view kFailJobSet = "FailJobSet";

inline constexpr char kReachedMaxRestarts[] = "ReachedMaxRestarts";
inline constexpr char kReachedMaxRestartsMessage[] =
    "jobset failed due to reaching max number of restarts";

// Names an action of the API, alpha ones included.
bool IsKnownAction(std::string_view action);
// Whether the action restarts one child Job.
bool IsJobAction(std::string_view action);

// What is done about a failure.
struct Decision {
  // Effective action: a restart beyond the budget is FailJobSet.
  std::string action = {};
  // Name of the child Job it is for; empty: no Job has failed (in-place
  // restarts).
  std::string job = {};
  // Of the condition Failed or RestartingJobSet; empty for RestartJob*, which
  // sets none.
  std::string reason = {};
  // Of the condition, and of the event of a restart.
  std::string message = {};
  // Whether the restart uses budget, or failed for want of it; and how much is
  // used then.
  bool counted = false;
  std::int64_t used = 0;
};

// Decides about failed child Jobs, of which there is at least one: without a
// failure policy the JobSet fails; else the first rule that applies says what
// is done, and without one RestartJobSet. Counts a restart in `status`.
//
// An error when the controller gets no further and repeats the pass for ever
// (gate off, labels without a counter, unknown action). Then nothing has
// changed.
absl::StatusOr<Decision> ApplyFailurePolicy(const JobSetSpec& spec,
                                            const Jobs& failed,
                                            const Gates& gates,
                                            PatternAllowance& patterns,
                                            JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_NATIVE_JOBSET_FAILURE_POLICY_H_
