// Where and with which resources a granted retry should run.
#ifndef MULLIGAN_POLICY_VERDICT_ADVICE_H_
#define MULLIGAN_POLICY_VERDICT_ADVICE_H_

#include <string>
#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills placement and resources of a RETRY. Advice only adds: what cannot be
// followed is the caller's to drop, and never turns the retry into a failure.
// Growth granted to earlier failures is repeated, because it is relative to the
// first attempt's spec, and grows from there. Growth that has met its cap adds
// a warning.
void FillAdvice(const Case& failure, const Verdict& verdict,
                v1::Decision& decision, std::vector<std::string>& warnings);

// Sets the resources of `decision` to what was granted last.
void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         v1::Decision& decision);

// The texts of a decision that the ledger leaves out: sentences are made from
// the record, so a repeated report gets the same ones.
void FillAdviceText(const v1::AttemptRecord& record, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ADVICE_H_
