// What happened, as far as the report shows; and what the ledger and the fleet
// show beyond it.
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
#include "policy/verdict/situated.h"

namespace mulligan {

// How a failure stands in the ledger.
enum class Standing : std::uint8_t {
  // It is none: nothing is asked of the ledger, which stays as it is.
  kNotBroken,
  kNew,
  // It has a record that only said to wait, or that nobody can repeat. That was
  // taken back, with what it charged.
  kDecidedAnew,
  // What was decided is answered again.
  kDecided,
  // It was decided, and the whole workload was given up or started again since.
  kOvertaken,
  // It is of an attempt that the ledger knows or has left behind.
  kPast,
};

// One failure: at hand, or earlier.
struct Diagnosed {
  // The failure itself is Findings.failure.
  Findings findings = {};
  FailureId id = {};
  std::uint64_t identity = 0;  // hash of it, for jitter
  // When it ended; when it was reported if that is unknown.
  absl::Time failed_at = {};
  // Whose turn it is in an incident.
  Turn turn = Turn::kWait;
  // Filled by Compare (policy/verdict/recalled.h).
  Standing standing = Standing::kNotBroken;

  const Failure& what() const { return findings.failure; }
  Failure& mutable_what() { return findings.failure; }
  bool is_broken() const { return what().situation == v1::Diagnosis::BROKEN; }
  // Earlier attempts whose pods are in the report.
  std::int32_t earlier() const {
    return static_cast<std::int32_t>(findings.earlier.size()) +
           findings.more_earlier;
  }
};

Diagnosed Diagnose(const Situated& at);

// An attempt before the one at hand, called `id`.
Diagnosed DiagnosedEarlier(const Situated& at, const Failure& earlier,
                           FailureId id);

// Adds what the fleet shows beyond the failure. An incident needs a failure
// with a known time, because waits must end.
void CompareWithFleet(const Situated& at, const v1::BudgetLedger& ledger,
                      Diagnosed& told);

// Adds what the history, `ledger`, shows beyond it.
void CompareWithHistory(const Situated& at, const v1::BudgetLedger& ledger,
                        const v1::Progress& progress, Diagnosed& told);

// How long the attempt of a failure ran: its culprit's container, else the
// lifetime of its root, else as long as the caller says that it was healthy.
std::optional<absl::Duration> RanFor(const v1::FailureReport& report,
                                     const Failure& failure);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_
