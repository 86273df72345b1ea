// What happened, as far as the report tells; and what the ledger and the fleet
// show beyond it.
#ifndef MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_
#define MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/answer_part.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/fleet.h"
#include "policy/demystify/demystify.h"
#include "policy/verdict/situated.h"

namespace mulligan {

// One failure: at hand, or earlier.
struct Diagnosed {
  AnswerPart<v1::Diagnosis> diagnosis;
  Findings findings = {};
  FailureId id = {};
  std::uint64_t identity = 0;  // hash of it, for jitter
  // When it ended; when it was told if nobody knows.
  absl::Time failed_at = {};
  // From start to end of the culprit's container; nothing when one is unknown,
  // or the end comes first.
  std::optional<absl::Duration> run_time = std::nullopt;
  // Whose turn it is in an incident.
  Turn turn = Turn::kWait;

  bool is_broken() const {
    return diagnosis->situation() == v1::Diagnosis::BROKEN;
  }
  // Earlier attempts whose pods are in the report.
  std::int32_t earlier() const {
    return static_cast<std::int32_t>(findings.earlier.size()) +
           findings.more_earlier;
  }
};

Diagnosed Diagnose(const Situated& at);

// An attempt before the one at hand, called `id`.
Diagnosed DiagnosedEarlier(const Situated& at, const EarlierAttempt& earlier,
                           FailureId id);

// With what the fleet shows beyond the failure. An incident needs a failure
// with a known time, because waits must end.
Diagnosed WithFleet(const Situated& at, Diagnosed told,
                    const v1::BudgetLedger& ledger);

// With what the history, `ledger`, shows beyond it.
Diagnosed WithHistory(const Situated& at, Diagnosed told,
                      const v1::BudgetLedger& ledger,
                      const v1::Progress& progress);

// How long the attempt of a failure ran: its culprit's container, else the
// lifetime of its root, else as long as the caller says that it was healthy.
std::optional<absl::Duration> RanFor(const v1::FailureReport& report,
                                     const Diagnosed& told);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_DIAGNOSED_H_
