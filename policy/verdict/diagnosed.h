// The diagnosis, refined by the ledger and the fleet.
#ifndef MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_
#define MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/fleet.h"
#include "policy/demystify/demystify.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

// State of the failure in the ledger.
enum class LedgerStatus : std::uint8_t {
  // Nothing is broken, so there is nothing to decide.
  kNotBroken,
  kNew,
  // Its record, pending or not repeatable, was taken back with its charge.
  kReopened,
  // The recorded decision is repeated.
  kDecided,
  // It was decided before the whole workload was given up or restarted.
  kOvertaken,
  // It belongs to an attempt that the ledger has already left behind.
  kPast,
};

// One failure: the current one or an earlier one.
struct Diagnosed {
  // The failure itself is Findings.failure.
  Findings findings = {};
  FailureId id = {};
  std::uint64_t identity = 0;  // a hash of the failure, for jitter
  // When it ended or, if that is unknown, when it was reported.
  absl::Time failed_at = {};
  // How the workload proceeds in an incident.
  Turn turn = Turn::kWait;
  // Filled by Compare (policy/verdict/ledger_state.h).
  LedgerStatus status = LedgerStatus::kNotBroken;

  const Failure& what() const { return findings.failure; }
  Failure& mutable_what() { return findings.failure; }
  bool is_broken() const { return what().situation == v1::Diagnosis::BROKEN; }
  // Returns the number of earlier attempts whose pods are in the report.
  std::int32_t earlier() const {
    return static_cast<std::int32_t>(findings.earlier.size()) +
           findings.more_earlier;
  }
};

Diagnosed Diagnose(const FailureContext& at);

// Returns the diagnosis of an attempt before the current one, with this id.
Diagnosed DiagnosedEarlier(const FailureContext& at, const Failure& earlier,
                           FailureId id);

// Adds the cause that the fleet shows. An incident needs a failure with a known
// time, because waits must end.
void CompareWithFleet(const FailureContext& at, const v1::BudgetLedger& ledger,
                      Diagnosed& diagnosed);

// Adds the cause that the history in `ledger` shows.
void CompareWithHistory(const FailureContext& at,
                        const v1::BudgetLedger& ledger,
                        const v1::Progress& progress, Diagnosed& diagnosed);

// Returns how long the failed attempt ran: its culprit's container, else its
// root, else the healthy time that the caller reported. Empty if unknown.
std::optional<absl::Duration> RanFor(const v1::FailureReport& report,
                                     const Failure& failure);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_
