// What a verdict is about, and whether its retry still comes in time.
#ifndef MULLIGAN_POLICY_VERDICT_REACH_H_
#define MULLIGAN_POLICY_VERDICT_REACH_H_

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "policy/verdict/case.h"

namespace mulligan {

// What `action` is about where no rule says so. A gang starts again as a whole:
// those that died because of the failure are gone, too.
v1::Decision::Scope ScopeOf(const Case& failure, v1::Decision::Action action);

// Whether a pod or index started after `delay` is past the deadline of its
// Job, which goes on counting; recreated objects start a new clock.
bool MissesDeadline(const Case& failure, v1::Decision::Scope scope,
                    absl::Duration delay);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_REACH_H_
