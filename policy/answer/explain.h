// Why a decision was made, and what would have changed it.
#ifndef MULLIGAN_POLICY_ANSWER_EXPLAIN_H_
#define MULLIGAN_POLICY_ANSWER_EXPLAIN_H_

#include "mulligan/v1/explanation.pb.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills `rules_tried`: each earlier rule, and its failed condition.
void ExplainRules(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation);

// Fills `counterfactuals`: small changes that lead to another verdict. Each is
// found by evaluating the whole case again.
void ExplainFlips(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_EXPLAIN_H_
