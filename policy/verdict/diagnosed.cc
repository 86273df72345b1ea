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

namespace core = kubernetes::core::v1;

// The end of a container that `diagnosis` is about: that which decided, else
// the last one. Null: none is told.
const core::ContainerStateTerminated* EndMeant(
    const core::ContainerStatus& status, const v1::Diagnosis& diagnosis) {
  const bool before =
      status.last_state().has_terminated() && !diagnosis.evidence().empty() &&
      diagnosis.evidence(0).path().find(".lastState.") != std::string::npos;
  if (status.state().has_terminated() && !before) {
    return &status.state().terminated();
  }
  return status.last_state().has_terminated()
             ? &status.last_state().terminated()
             : nullptr;
}

// Where nobody is known to be the culprit, the end of a member that ended when
// the failure did. Sidecars stand among the init containers.
const core::ContainerStateTerminated* CulpritEnd(
    const v1::FailureReport& report, const v1::Diagnosis& diagnosis) {
  const v1::Culprit& culprit = diagnosis.culprit();
  const bool named = !culprit.pod().empty();
  for (const core::Pod& pod : report.pods()) {
    if (named && pod.metadata().name() != culprit.pod()) continue;
    for (const auto* statuses : {&pod.status().container_statuses(),
                                 &pod.status().init_container_statuses()}) {
      for (const core::ContainerStatus& status : *statuses) {
        if (status.name() != culprit.container()) continue;
        const auto* end = EndMeant(status, diagnosis);
        if (end != nullptr &&
            (named || end->finished_at().seconds() ==
                          diagnosis.finished_at().seconds())) {
          return end;
        }
      }
    }
  }
  return nullptr;
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

std::optional<absl::Time> KnownTime(const google::protobuf::Timestamp& time) {
  if (!IsSet(time)) return std::nullopt;
  return ToTime(time);
}

std::uint64_t IdentityOf(const Situated& at, const FailureId& id) {
  return StableHash().Add(at.workload->uid()).Add(id.id).value();
}

// `now` where nobody knows, never later.
absl::Time FailedAt(const v1::Diagnosis& diagnosis, absl::Time now) {
  return std::min(KnownTime(diagnosis.finished_at()).value_or(now), now);
}

void SetDerived(Derived derived, v1::Diagnosis& diagnosis) {
  diagnosis.set_derived_cause(derived.cause);
  diagnosis.set_derived_reason(std::move(derived.reason));
}

}  // namespace

Diagnosed Diagnose(const Situated& at) {
  DemystifyOptions options;
  options.patterns = &at.patterns;
  options.now = at.observed_at;
  options.signatures = at.compiled().signatures.get();
  options.full = at.request.explain() == v1::DecideRequest::FULL;
  const auto& history = at.request.ledger().history();
  if (!std::ranges::all_of(history, IsPending)) {
    options.was_decided = [&at,
                           &history](int pod) -> std::optional<std::int64_t> {
      const std::string id = IdOfPod(at.owners, *at.workload, pod);
      const auto found =
          std::ranges::find_if(history, [&id](const v1::AttemptRecord& record) {
            return record.failure_id() == id && !IsPending(record);
          });
      if (found == history.end()) return std::nullopt;
      return demystify::ToSeconds(
          found->has_struck_at() ? found->struck_at() : found->finished_at());
    };
  }
  options.not_the_programs = static_cast<int>(
      std::ranges::count_if(history, [](const v1::AttemptRecord& record) {
        return IsNotThePrograms(record.cause());
      }));
  Diagnosed told{MakePart<v1::Diagnosis>(at.arena())};
  told.findings = Demystify(at.owners, options, *told.diagnosis);
  told.id =
      FailureIdOf(at.owners, *at.workload, told.findings.incident, at.now);
  told.identity = IdentityOf(at, told.id);
  told.failed_at = FailedAt(*told.diagnosis, at.now);
  told.run_time = RunTimeOf(at.report(), *told.diagnosis);
  if (!told.findings.since) {
    told.findings.since = KnownTime(told.diagnosis->finished_at());
  }
  return told;
}

Diagnosed DiagnosedEarlier(const Situated& at, const EarlierAttempt& earlier,
                           FailureId id) {
  Diagnosed told{MakePart<v1::Diagnosis>(nullptr)};
  *told.diagnosis = earlier.diagnosis;
  told.findings.incident = earlier.incident;
  told.identity = IdentityOf(at, id);
  told.id = std::move(id);
  told.failed_at = FailedAt(earlier.diagnosis, at.now);
  told.run_time = RunTimeOf(at.report(), earlier.diagnosis);
  told.findings.since = told.failed_at;
  return told;
}

Diagnosed WithFleet(const Situated& at, Diagnosed told,
                    const v1::BudgetLedger& ledger) {
  if (at.request.recent().empty()) return told;
  FleetFinding found =
      DeriveFromFleet(at.compiled().derivation, at.request.recent(), ledger,
                      *told.diagnosis, {told.identity, at.now});
  const bool endless =
      found.derived.cause == v1::INCIDENT && !told.findings.since;
  if (found.derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED || endless) {
    return told;
  }
  told.turn = found.turn;
  SetDerived(std::move(found.derived), *told.diagnosis);
  return told;
}

Diagnosed WithHistory(const Situated& at, Diagnosed told,
                      const v1::BudgetLedger& ledger,
                      const v1::Progress& progress) {
  // Of what nobody knows, the place where it came twice says something.
  if (told.diagnosis->outlook() == v1::Diagnosis::OUTLOOK_UNKNOWN &&
      FailedThereBefore(ledger, *told.diagnosis, told.failed_at)) {
    told.findings.incident.of_node = true;
  }
  // What many meet at once is not this workload's history.
  if (told.diagnosis->derived_cause() != v1::DERIVED_CAUSE_UNSPECIFIED) {
    return told;
  }
  Derived found = DeriveCause(at.compiled().derivation, ledger, *told.diagnosis,
                              progress, told.failed_at, told.run_time);
  if (found.cause != v1::DERIVED_CAUSE_UNSPECIFIED) {
    SetDerived(std::move(found), *told.diagnosis);
  }
  return told;
}

std::optional<absl::Duration> RanFor(const v1::FailureReport& report,
                                     const Diagnosed& told) {
  if (told.run_time) return told.run_time;
  const Incident& incident = told.findings.incident;
  if (incident.begin && incident.struck &&
      *incident.struck >= *incident.begin) {
    return *incident.struck - *incident.begin;
  }
  if (!report.progress().has_healthy_for()) return std::nullopt;
  return ToDuration(report.progress().healthy_for());
}

}  // namespace mulligan
