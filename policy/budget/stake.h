// A failure in hours, and how often retries after one like it passed.
#ifndef MULLIGAN_POLICY_BUDGET_STAKE_H_
#define MULLIGAN_POLICY_BUDGET_STAKE_H_

#include <optional>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/recent.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"

namespace mulligan {

// What is looked at: views that must outlive the call.
struct AttemptAtStake {
  const v1::FailureReport& report;  // of the attempt at hand alone
  const Failure& failure;
  // How long it ran; nothing where nobody knows.
  std::optional<absl::Duration> ran;
  // What was decided before, without it.
  const v1::BudgetLedger& ledger;
  // What the caller saw elsewhere. Of several windows the one that shows most
  // retries after this cause counts, because they overlap.
  const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent;
};

// Everything but Stake.passes. Pure, and linear in the report's pods and the
// ledger's history.
//
// Hours are those of the accelerators that the attempt's pods hold, or of the
// pods where none holds any. Good hours are those of attempts that got further
// than the one before, by reported progress or else by how long they ran, and
// of the first; what Progress.advanced_at proves counts too.
v1::Stake StakeOf(const AttemptAtStake& attempt);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_STAKE_H_
