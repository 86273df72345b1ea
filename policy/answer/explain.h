// Why it was decided so, and what would have changed it.
#ifndef MULLIGAN_POLICY_ANSWER_EXPLAIN_H_
#define MULLIGAN_POLICY_ANSWER_EXPLAIN_H_

#include "mulligan/v1/explanation.pb.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills `rules_tried`: each rule before the deciding one, and what did not fit.
void ExplainRules(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation);

// Fills `counterfactuals`: small changes that lead to another verdict, each
// found by evaluating the whole case again. What does not flip the verdict is
// not listed.
void ExplainFlips(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_EXPLAIN_H_
