// The scope of a verdict, and whether its retry can meet the deadline.
#ifndef MULLIGAN_POLICY_VERDICT_REACH_H_
#define MULLIGAN_POLICY_VERDICT_REACH_H_

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "policy/verdict/case.h"

namespace mulligan {

// Returns whether an action refuses another attempt.
inline bool IsRefusal(v1::Decision::Action action) {
  return action == v1::Decision::FAIL ||
         action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
}

// Returns the default scope of `action`. A gang restarts as a whole, because
// the failure also ended its other members.
v1::Decision::Scope ScopeOf(const Case& failure, v1::Decision::Action action);

// Returns whether a pod or index started after `delay` would miss its Job's
// deadline, whose clock keeps running. Recreated objects have a new clock.
bool MissesDeadline(const Case& failure, v1::Decision::Scope scope,
                    absl::Duration delay);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_REACH_H_
