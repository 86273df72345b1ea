#include "policy/verdict/brake.h"

#include <algorithm>

#include "policy/base/times.h"
#include "policy/budget/history.h"
#include "policy/demystify/causes.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/owners.h"

namespace mulligan {
namespace {

// An attempt that has not run for so long shows nothing yet.
constexpr absl::Duration kLeastRun = absl::Minutes(3);

bool IsOfProgram(v1::Cause cause) {
  const v1::Diagnosis::FaultDomain domain = RowOf(cause).domain;
  return domain == v1::Diagnosis::APPLICATION ||
         domain == v1::Diagnosis::CONFIGURATION ||
         domain == v1::Diagnosis::RESOURCE_LIMIT;
}

// Whether a rule says that no other attempt helps.
bool IsRefused(const v1::AttemptRecord& record) {
  const v1::Decision::Action action = record.decision().action();
  return (action == v1::Decision::FAIL ||
          action == v1::Decision::WAIT_FOR_SPEC_UPDATE) &&
         (record.refused_by() == v1::AttemptRecord::REFUSAL_UNSPECIFIED ||
          record.refused_by() == v1::AttemptRecord::DERIVED_CAUSE);
}

// When the work was last resumed, or a Job begun; the epoch: it never was.
std::int64_t LastResumed(const Owners& owners) {
  std::int64_t resumed = 0;
  const auto read = [&resumed](const WorkloadView& view) {
    for (const ConditionView condition : view.conditions) {
      if (condition.type() == "Suspended" && condition.status() == "False") {
        resumed = std::max<std::int64_t>(
            resumed, condition.last_transition_time().seconds());
      }
    }
  };
  for (const WorkloadView& view : owners.views) read(view);
  for (const auto& job : owners.report.jobs()) read(ViewOf(job));
  return resumed;
}

absl::Time WhenItEnded(const v1::AttemptRecord& record) {
  return ToTime(IsSet(record.finished_at()) ? record.finished_at()
                                            : record.observed_at());
}

}  // namespace

std::optional<EndOfRetries> FindStop(const Situated& at, const Diagnosed& told,
                                     const v1::BudgetLedger& ledger) {
  const CompiledBrake& brake = at.compiled().brake;
  if (brake.mode == v1::Brake::NEVER || at.decides_natively() ||
      told.what().situation != v1::Diagnosis::ALIVE || told.findings.apart) {
    return std::nullopt;
  }
  const std::optional<Loop> loop = FindLoop(at.compiled().derivation, ledger);
  if (!loop) return std::nullopt;
  const v1::AttemptRecord& last = ledger.history(loop->record);
  const v1::Cause named = told.what().cause;
  if (!IsOfProgram(last.cause()) ||
      (named != v1::NOT_FAILED && !IsOfProgram(named))) {
    return std::nullopt;
  }
  // The ledger has one record of what a pod did again and again before anybody
  // asked.
  const std::int64_t alike =
      std::max<std::int64_t>(loop->alike, told.findings.ends);
  const bool refused = IsRefused(last);
  const bool is_loop = (refused && alike >= brake.same_failure) ||
                       (loop->enough > 0 && alike >= loop->enough);
  if (!is_loop) return std::nullopt;
  const absl::Time ended = WhenItEnded(last);
  if (absl::FromUnixSeconds(LastResumed(at.owners)) > ended) {
    return std::nullopt;
  }
  if (const auto since = told.findings.runs_since) {
    const absl::Duration most =
        std::max(kLeastRun, brake.outlived * loop->longest);
    if (at.now - std::max(*since, ended) > most) return std::nullopt;
  }
  return EndOfRetries{
      last, refused ? last.decision().action() : v1::Decision::FAIL, alike};
}

}  // namespace mulligan
