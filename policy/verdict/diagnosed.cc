#include "policy/verdict/diagnosed.h"

#include <algorithm>
#include <string>
#include <utility>

#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

std::optional<absl::Time> KnownTime(const google::protobuf::Timestamp& time) {
  if (!IsSet(time)) return std::nullopt;
  return ToTime(time);
}

std::uint64_t IdentityOf(const FailureContext& at, const FailureId& id) {
  return StableHash().Add(at.workload->uid()).Add(id.id).value();
}

bool IsWait(const v1::AttemptRecord& record) {
  return record.decision().action() == v1::Decision::WAIT;
}

// Returns when the failure ended; `now` if that is unknown or later.
absl::Time FailedAt(const Failure& failure, absl::Time now) {
  return std::min(KnownTime(failure.finished_at).value_or(now), now);
}

void SetDerived(Derived derived, Failure& failure) {
  failure.derived_cause = derived.cause;
  failure.derived_reason = std::move(derived.reason);
}

}  // namespace

Diagnosed Diagnose(const FailureContext& at) {
  DemystifyOptions options;
  options.patterns = &at.patterns;
  options.now = at.observed_at;
  options.signatures = at.compiled().signatures.get();
  const auto& history = at.request.ledger().history();
  if (!std::ranges::all_of(history, IsWait)) {
    options.was_decided = [&at,
                           &history](int pod) -> std::optional<std::int64_t> {
      const std::string id = IdOfPod(at.owners, *at.workload, pod);
      const auto found =
          std::ranges::find_if(history, [&id](const v1::AttemptRecord& record) {
            return record.failure_id() == id && !IsWait(record);
          });
      if (found == history.end()) return std::nullopt;
      return demystify::ToSeconds(
          found->has_struck_at() ? found->struck_at() : found->finished_at());
    };
  }
  options.external_ends = static_cast<int>(
      std::ranges::count_if(history, [](const v1::AttemptRecord& record) {
        return IsExternalFailure(record.cause());
      }));
  // A caller that replaces the operator decides in its place.
  if (!at.decides_natively() && !at.request.replaces_operator()) {
    options.operator_retries = [&at](int pod) {
      return RetriesByItself({at.report(), at.request.ledger(),
                              v1::NativeSemantics::default_instance(),
                              at.observed_at, &at.patterns},
                             pod);
    };
  }
  Diagnosed diagnosed{Demystify(at.owners, options)};
  const Failure& failure = diagnosed.what();
  diagnosed.id = FailureIdOf(at.owners, *at.workload, failure.incident, at.now);
  diagnosed.identity = IdentityOf(at, diagnosed.id);
  diagnosed.failed_at = FailedAt(failure, at.now);
  if (!diagnosed.findings.since) {
    diagnosed.findings.since = KnownTime(failure.finished_at);
  }
  return diagnosed;
}

Diagnosed DiagnosedEarlier(const FailureContext& at, const Failure& earlier,
                           FailureId id) {
  Diagnosed diagnosed;
  diagnosed.findings.failure = earlier;
  diagnosed.identity = IdentityOf(at, id);
  diagnosed.id = std::move(id);
  diagnosed.failed_at = FailedAt(earlier, at.now);
  diagnosed.findings.since = diagnosed.failed_at;
  return diagnosed;
}

void CompareWithFleet(const FailureContext& at, const v1::BudgetLedger& ledger,
                      Diagnosed& diagnosed) {
  if (at.request.recent().empty()) return;
  FleetFinding found =
      DeriveFromFleet(at.compiled().derivation, at.request.recent(), ledger,
                      diagnosed.what(), {diagnosed.identity, at.now});
  const bool endless =
      found.derived.cause == v1::INCIDENT && !diagnosed.findings.since;
  if (found.derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED || endless) return;
  diagnosed.turn = found.turn;
  SetDerived(std::move(found.derived), diagnosed.mutable_what());
}

void CompareWithHistory(const FailureContext& at,
                        const v1::BudgetLedger& ledger,
                        const v1::Progress& progress, Diagnosed& diagnosed) {
  Failure& failure = diagnosed.mutable_what();
  // If the outlook is unknown, a second failure on the same node is evidence.
  if (failure.outlook == v1::Diagnosis::OUTLOOK_UNKNOWN &&
      FailedThereBefore(ledger, failure, diagnosed.failed_at)) {
    failure.incident.of_node = true;
  }
  if (failure.fatal_if_repeated &&
      EndedThereBefore(ledger, failure, progress)) {
    failure.outlook = v1::Diagnosis::CANNOT_RECOVER;
    failure.outlook_reason =
        "the attempt before failed too, and got at least as far";
  }
  // A failure that many workloads share says nothing about this one's history.
  if (failure.derived_cause != v1::DERIVED_CAUSE_UNSPECIFIED) return;
  Derived found = DeriveCause(at.compiled().derivation, ledger, failure,
                              progress, diagnosed.failed_at, failure.ran_for);
  if (found.cause != v1::DERIVED_CAUSE_UNSPECIFIED) {
    SetDerived(std::move(found), failure);
  }
}

std::optional<absl::Duration> RanFor(const v1::FailureReport& report,
                                     const Failure& failure) {
  if (failure.ran_for) return failure.ran_for;
  const Incident& incident = failure.incident;
  if (incident.begin && incident.struck &&
      *incident.struck >= *incident.begin) {
    return *incident.struck - *incident.begin;
  }
  if (!report.progress().has_healthy_for()) return std::nullopt;
  return ToDuration(report.progress().healthy_for());
}

}  // namespace mulligan
