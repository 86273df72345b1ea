// Expected gain and loss of a retry in hours (v1::Worth).
#ifndef MULLIGAN_POLICY_VERDICT_EXPECTED_H_
#define MULLIGAN_POLICY_VERDICT_EXPECTED_H_

#include <cstdint>
#include <optional>

#include "mulligan/v1/decision.pb.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// Returns the chance that a retry passes: a rule's `passes`, adjusted by
// retries of other workloads and then by those of this one. Assumes `more`
// further failures.
double PassesOf(const CompiledWorth& worth, double passes,
                const v1::Stake& stake, std::int64_t more = 0);

// Returns whether a retry with chance `p` is expected to lose more hours than
// it saves. False if the hours at stake are unknown.
bool LosesHours(const CompiledWorth& worth, double p, const v1::Stake& stake);

// Returns the smallest `passes` with which a rule would retry, rounded up to
// hundredths; empty if none is enough.
std::optional<double> EnoughPasses(const CompiledWorth& worth,
                                   const v1::Stake& stake);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EXPECTED_H_
