// What another try is expected to gain and to lose, in hours (v1::Worth).
#ifndef MULLIGAN_POLICY_VERDICT_EXPECTED_H_
#define MULLIGAN_POLICY_VERDICT_EXPECTED_H_

#include <cstdint>
#include <optional>

#include "mulligan/v1/decision.pb.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// How often a retry passes: a rule's `passes`, moved by what retries of other
// workloads have shown and then by those of this one. `more` failures are taken
// to have come since.
double PassesOf(const CompiledWorth& worth, double passes,
                const v1::Stake& stake, std::int64_t more = 0);

// Whether a retry that passes with chance `p` is expected to lose more hours
// than it saves. Never where the hours at stake are not known.
bool LosesHours(const CompiledWorth& worth, double p, const v1::Stake& stake);

// The smallest `passes` of a rule with which the retry would be tried, rounded
// up to hundredths; nothing where none is enough.
std::optional<double> EnoughPasses(const CompiledWorth& worth,
                                   const v1::Stake& stake);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EXPECTED_H_
