// What a decision knows before it evaluates anything: the request checked, the
// report diagnosed, the ledger opened, and the attempts before the one at hand.
//
// Earlier attempts are seen in the report, counted by the operator, or in the
// ledger already. All three must tell the same count. The highest wins:
// attempts that the ledger lacks are charged each to its own budget; what only
// a counter knows is charged as unknown (policy/budget/ledger.h).
#ifndef MULLIGAN_POLICY_VERDICT_INTAKE_H_
#define MULLIGAN_POLICY_VERDICT_INTAKE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/history.h"
#include "policy/budget/ledger.h"
#include "policy/verdict/call.h"

namespace mulligan {

// The warning for a report without a time.
inline constexpr char kNoObservedAt[] =
    "report.observedAt is absent: the server's time was used, so repeated "
    "calls may differ";

// Warns about enum values of newer clients.
void WarnOfUnknownEnums(Call& call);

// Fills response.diagnosis, call.findings and call.since.
void DiagnoseReport(Call& call);

// Copies the ledger into the response and ties it to the workload.
void OpenLedger(Call& call);

// Whether the report is about an attempt that the ledger knows or has left
// behind. Makes it STALE_REPORT then.
bool MarkIfStale(Call& call);

// The same when the failure has the record `known`, which is overtaken; -1: it
// has none. Nothing is charged again.
bool MarkIfOvertaken(Call& call, int known);

// Warns about records later than the report: they make windows and loops look
// shorter than they are.
void WarnOfLaterRecords(Call& call);

// Adds to the diagnosis what the fleet shows beyond it, and returns whose turn
// it is in an incident. An incident needs a failure with a known time, because
// waits must end.
Turn ConsultFleet(Call& call, std::uint64_t identity);

// Adds to `diagnosis` what the history shows beyond a failure at `failed_at`.
void ConsultHistory(const Call& call, const v1::Progress& progress,
                    absl::Time failed_at, v1::Diagnosis& diagnosis);

// The attempt number after those the ledger has seen; saturates.
std::int32_t NextAttempt(const v1::BudgetLedger& ledger);

// From start to end of the culprit's container; nothing when one is unknown, or
// the end comes first.
std::optional<absl::Duration> RunTimeOf(const v1::FailureReport& report,
                                        const v1::Diagnosis& diagnosis);

// Earlier attempts whose pods are in the report.
std::int32_t EarlierIn(const Call& call);

// When a failure happened; `now` where nobody knows, never later.
absl::Time FailedAt(const v1::Diagnosis& diagnosis, absl::Time now);

// Hash of the failure, for jitter.
std::uint64_t IdentityOf(const Call& call, const FailureId& id);

// The failure at hand as this report tells it. Holds references to its
// arguments.
ToldFailure ToldNow(const Call& call, const FailureId& id,
                    const NativeCount& count);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_INTAKE_H_
