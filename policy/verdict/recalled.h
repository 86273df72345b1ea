// What the ledger tells before the failure at hand is in it.
//
// Earlier attempts are seen in the report, counted by the operator, or in the
// ledger already. All three must tell the same count. The highest wins:
// attempts that the ledger lacks are charged each to its own budget; what only
// a counter knows is charged as unknown (policy/budget/ledger.h).
#ifndef MULLIGAN_POLICY_VERDICT_RECALLED_H_
#define MULLIGAN_POLICY_VERDICT_RECALLED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "policy/base/answer_part.h"
#include "policy/verdict/brake.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/situated.h"

namespace mulligan {

struct Recalled {
  // With what the report tells of earlier attempts.
  AnswerPart<v1::BudgetLedger> ledger;
  Standing standing = Standing::kNotBroken;
  // Its index in the history. For kDecidedAnew before it was taken back; for
  // kNotBroken others had started the next attempt already, and this report
  // tells less.
  int record = -1;
  // What was taken back, to be put back where nothing is recorded; nothing:
  // nothing was.
  std::optional<v1::AttemptRecord> taken_back = std::nullopt;
  // That record is of another member than those that are told.
  bool of_another = false;
  // For kNotBroken: the retries that others make are ended.
  std::optional<EndOfRetries> stop = std::nullopt;
  std::vector<std::string> warnings = {};

  // What it died of is past, so that nothing is to be decided.
  bool is_stale() const {
    return standing == Standing::kOvertaken || standing == Standing::kPast;
  }
  bool is_settled() const {
    return is_stale() || standing == Standing::kDecided;
  }
};

Recalled Recall(const Situated& at, const Diagnosed& told);

// Compares the failure with the ledger: of an attempt that is past everything
// is settled; what is to be decided shows more beside fleet and history.
void Compare(const Situated& at, const Recalled& before, Diagnosed& told);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_RECALLED_H_
