// When an Indexed Job has succeeded early (KEP-3998, stable since 1.33).
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_H_

#include <cstdint>
#include <optional>

#include "policy/operators/job/index_set.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

// Place of the first rule that is met, from 0. Rules whose indexes cannot be
// read are passed over; without any success no rule is met.
std::optional<int> MatchSuccessPolicy(const SuccessPolicy& policy,
                                      std::int64_t completions,
                                      const IndexSet& succeeded);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_H_
