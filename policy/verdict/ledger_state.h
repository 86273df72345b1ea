// What the ledger says before the current failure is added.
//
// Earlier attempts may be in the report, in the operator's counter and in the
// ledger. The highest count wins. Attempts that the ledger lacks are each
// charged to their own budget; those that only a counter knows are charged as
// unexplained (policy/budget/seeding.h).
#ifndef MULLIGAN_POLICY_VERDICT_LEDGER_STATE_H_
#define MULLIGAN_POLICY_VERDICT_LEDGER_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "policy/base/answer_part.h"
#include "policy/verdict/brake.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

struct LedgerState {
  // Includes the earlier attempts that the report shows.
  AnswerPart<v1::BudgetLedger> ledger;
  LedgerStatus status = LedgerStatus::kNotBroken;
  // Its index in the history; -1 if it has none. For kReopened, the index
  // before it was taken back. For kNotBroken, the record says that others had
  // already started the next attempt, and this report knows less.
  int record = -1;
  // The record that was taken back, to be restored if nothing is recorded;
  // empty if none was.
  std::optional<v1::AttemptRecord> taken_back = std::nullopt;
  // `record` is that of a member that is not part of this failure.
  bool of_another = false;
  // For kNotBroken: ends the retries that others make.
  std::optional<EndOfRetries> stop = std::nullopt;
  std::vector<std::string> warnings = {};

  // The failure is past, so there is nothing to decide.
  bool is_stale() const {
    return status == LedgerStatus::kOvertaken || status == LedgerStatus::kPast;
  }
  bool is_settled() const {
    return is_stale() || status == LedgerStatus::kDecided;
  }
};

LedgerState ReadLedgerState(const FailureContext& at,
                            const Diagnosed& diagnosed);

// Compares the failure with the ledger. A past attempt is settled; a failure to
// be decided gets the causes that fleet and history show.
void Compare(const FailureContext& at, const LedgerState& before,
             Diagnosed& diagnosed);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_LEDGER_STATE_H_
