#include "policy/verdict/intake.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/budget/history.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/demystify.h"
#include "policy/demystify/fact.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/verdict/ledger_owner.h"

namespace mulligan {
namespace {

// A past attempt: whatever it died of is settled.
void MarkStale(std::string summary, v1::Diagnosis& diagnosis) {
  v1::ConsideredCause& rejected = *diagnosis.add_considered();
  rejected.set_cause(diagnosis.cause());
  rejected.set_why_not("the attempt was decided before");
  diagnosis.set_cause(v1::STALE_REPORT);
  diagnosis.set_fault_domain(v1::Diagnosis::NONE);
  diagnosis.set_confidence(v1::Diagnosis::HIGH);
  diagnosis.set_situation(v1::Diagnosis::FINISHED);
  diagnosis.clear_outlook();
  diagnosis.clear_outlook_reason();
  diagnosis.set_summary(std::move(summary));
}

namespace core = kubernetes::core::v1;

// Where nobody is known to be the culprit, the end of a member that ended when
// the failure did.
const core::ContainerStateTerminated* CulpritEnd(
    const v1::FailureReport& report, const v1::Diagnosis& diagnosis) {
  const v1::Culprit& culprit = diagnosis.culprit();
  const bool named = !culprit.pod().empty();
  for (const core::Pod& pod : report.pods()) {
    if (named && pod.metadata().name() != culprit.pod()) continue;
    for (const core::ContainerStatus& status :
         pod.status().container_statuses()) {
      const bool now = status.state().has_terminated();
      if (status.name() != culprit.container() ||
          (!now && !status.last_state().has_terminated())) {
        continue;
      }
      const auto& end =
          now ? status.state().terminated() : status.last_state().terminated();
      if (named ||
          end.finished_at().seconds() == diagnosis.finished_at().seconds()) {
        return &end;
      }
    }
  }
  return nullptr;
}

}  // namespace

void WarnOfLaterRecords(Call& call) {
  // Clocks of two callers may differ by this much.
  const std::int64_t latest = absl::ToUnixSeconds(call.now) + 60;
  const auto& history = call.ledger().history();
  for (int i = 0; i < history.size(); ++i) {
    if (history[i].observed_at().seconds() <= latest &&
        history[i].finished_at().seconds() <= latest) {
      continue;
    }
    return call.Warn(absl::StrCat(
        "ledger.history[", i,
        "] is later than observedAt: clocks differ, or the report is late"));
  }
}

void WarnOfUnknownEnums(Call& call) {
  const auto warn = [&call](bool known, const char* field, int number,
                            const char* instead) {
    if (known) return;
    call.Warn(absl::StrCat(field, " ", number, " is unknown to this version; ",
                           instead, " was assumed"));
  };
  const v1::DecideRequest& request = call.request;
  warn(v1::DecideRequest::Explain_IsValid(request.explain()), "explain",
       request.explain(), "SUMMARY");
  warn(v1::DecideRequest::Purpose_IsValid(request.purpose()), "purpose",
       request.purpose(), "ENFORCE");
}

void DiagnoseReport(Call& call) {
  DemystifyOptions options;
  options.patterns = &call.patterns;
  options.now = call.observed_at;
  options.signatures = call.compiled().signatures.get();
  options.full = call.request.explain() == v1::DecideRequest::FULL;
  std::unordered_map<std::string_view, std::int64_t> decided;
  for (const v1::AttemptRecord& record : call.request.ledger().history()) {
    if (IsPending(record)) continue;
    decided.emplace(
        record.failure_id(),
        demystify::ToSeconds(record.has_struck_at() ? record.struck_at()
                                                    : record.finished_at()));
  }
  if (!decided.empty()) {
    options.was_decided = [&call,
                           &decided](int pod) -> std::optional<std::int64_t> {
      const auto found = decided.find(IdOfPod(call.owners, call.workload, pod));
      if (found == decided.end()) return std::nullopt;
      return found->second;
    };
  }
  options.not_the_programs = static_cast<int>(std::ranges::count_if(
      call.request.ledger().history(), [](const v1::AttemptRecord& record) {
        return IsNotThePrograms(record.cause());
      }));
  v1::Diagnosis& diagnosis = call.diagnosis();
  call.findings = Demystify(call.owners, options, diagnosis);
  for (std::string& warning : call.findings.warnings) {
    call.Warn(std::move(warning));
  }
  if (IsSet(call.findings.since)) {
    call.since = ToTime(call.findings.since);
  } else if (IsSet(diagnosis.finished_at())) {
    call.since = ToTime(diagnosis.finished_at());
  }
}

void OpenLedger(Call& call) {
  v1::BudgetLedger& ledger = call.ledger();
  if (call.request.has_ledger()) {
    ledger = call.request.ledger();
    if (call.workload.uid().empty() && !ledger.workload_uid().empty()) {
      call.Warn(absl::StrCat(
          "ledger.workloadUid is ", ledger.workload_uid(),
          ", but the report names no UID: whose ledger it is was not checked"));
    }
  }
  // What is not broken leaves the ledger as it was.
  const bool broken =
      call.response.diagnosis().situation() == v1::Diagnosis::BROKEN;
  if (broken) TieLedger(call.owners, call.workload, false, ledger);
}

bool MarkIfStale(Call& call) {
  const v1::FailureReport& report = call.request.report();
  if (!report.has_attempt() ||
      !IsPastAttempt(call.ledger(), report.attempt())) {
    return false;
  }
  MarkStale(absl::StrFormat("Attempt %d or a later one was decided already "
                            "under another failure id",
                            report.attempt()),
            call.diagnosis());
  return true;
}

bool MarkIfOvertaken(Call& call, int known) {
  if (known < 0 || !IsOvertaken(call.ledger(), known)) return false;
  call.response.mutable_accounting()->set_duplicate(true);
  MarkStale(
      "This failure was decided before, and the whole workload was given up or "
      "started again since",
      call.diagnosis());
  return true;
}

Turn ConsultFleet(Call& call, std::uint64_t identity) {
  if (call.request.recent().empty()) return Turn::kWait;
  v1::Diagnosis& diagnosis = call.diagnosis();
  FleetFinding finding =
      DeriveFromFleet(call.compiled().derivation, call.request.recent(),
                      call.ledger(), diagnosis, {identity, call.now});
  const bool endless = finding.derived.cause == v1::INCIDENT && !call.since;
  if (finding.derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED || endless) {
    return Turn::kWait;
  }
  diagnosis.set_derived_cause(finding.derived.cause);
  diagnosis.set_derived_reason(std::move(finding.derived.reason));
  return finding.turn;
}

void ConsultHistory(const Call& call, const v1::Progress& progress,
                    absl::Time failed_at, v1::Diagnosis& diagnosis) {
  Derived derived = DeriveCause(call.compiled().derivation, call.ledger(),
                                diagnosis, progress, failed_at,
                                RunTimeOf(call.request.report(), diagnosis));
  if (derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED) return;
  diagnosis.set_derived_cause(derived.cause);
  diagnosis.set_derived_reason(std::move(derived.reason));
}

std::int32_t NextAttempt(const v1::BudgetLedger& ledger) {
  return std::min(ledger.attempts_seen(),
                  std::numeric_limits<std::int32_t>::max() - 1) +
         1;
}

std::optional<absl::Duration> RunTimeOf(const v1::FailureReport& report,
                                        const v1::Diagnosis& diagnosis) {
  const auto* end = CulpritEnd(report, diagnosis);
  if (end == nullptr || !IsSet(end->started_at()) ||
      !IsSet(end->finished_at())) {
    return std::nullopt;
  }
  const absl::Duration ran =
      ToTime(end->finished_at()) - ToTime(end->started_at());
  if (ran < absl::ZeroDuration()) return std::nullopt;
  return ran;
}

std::int32_t EarlierIn(const Call& call) {
  return static_cast<std::int32_t>(call.findings.earlier.size()) +
         call.findings.more_earlier;
}

absl::Time FailedAt(const v1::Diagnosis& diagnosis, absl::Time now) {
  return IsSet(diagnosis.finished_at())
             ? std::min(ToTime(diagnosis.finished_at()), now)
             : now;
}

std::uint64_t IdentityOf(const Call& call, const FailureId& id) {
  return StableHash().Add(call.workload.uid()).Add(id.id).value();
}

ToldFailure ToldNow(const Call& call, const FailureId& id,
                    const NativeCount& count) {
  const v1::FailureReport& report = call.request.report();
  return {
      call.owners,
      call.workload,
      call.findings.incident,
      id,
      call.diagnosis().cause(),
      call.diagnosis().finished_at(),
      report.has_attempt() && !IsPastAttempt(call.ledger(), report.attempt()),
      count.counted};
}

}  // namespace mulligan
