// Converts conclusions to failures.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_FAILURE_OF_H_
#define MULLIGAN_POLICY_DEMYSTIFY_FAILURE_OF_H_

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/failure.h"

namespace mulligan {

// REQUIRES: `conclusion` is of the report of `context` and outlives the result.
Failure FailureOf(const demystify::Context& context,
                  const demystify::Conclusion& conclusion);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FAILURE_OF_H_
