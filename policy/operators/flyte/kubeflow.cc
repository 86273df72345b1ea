#include "policy/operators/flyte/kubeflow.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/pod.h"
#include "policy/operators/flyte/text.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::flyte {
namespace {

using job::TimeOf;
using job::ZeroTime;

struct KindRow {
  std::string_view kind;
  // As the plugin's messages say it.
  std::string_view name;
  PhaseInfo (*phase)(const Condition&, const Rules&);
  // Container of worker 0 that is looked at; empty: no pod is.
  std::string_view container;
};

constexpr std::array<KindRow, 3> kKinds = {{
    {"PyTorchJob", "pytorch", KubeflowConditionPhase, "pytorch"},
    {"TFJob", "tensorflow", KubeflowConditionPhase, ""},
    {"MPIJob", "mpi", MpiConditionPhase, ""},
}};

const KindRow* FindKind(std::string_view kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

// As Go prints the slice into the error.
std::string Printed(const Conditions& conditions) {
  std::string text;
  for (const Condition& condition : conditions) {
    absl::StrAppendFormat(
        &text,
        "%s{Type:%s Status:%s Reason:%s Message:%s LastUpdateTime:%s "
        "LastTransitionTime:%s}",
        text.empty() ? "" : " ", condition.type, condition.status,
        condition.reason, condition.message, GoTime(condition.last_update),
        GoTime(condition.last_transition));
  }
  return absl::StrCat("[", text, "]");
}

PhaseInfo PhaseOf(const Condition& current, const Rules& rules,
                  std::string_view created_reason) {
  if (current.type == "Created") {
    return InPhase(Phase::kQueued, std::string(created_reason));
  }
  if (current.type == "Running" || current.type == "Restarting") {
    return InPhase(Phase::kRunning);
  }
  if (current.type == "Succeeded") return InPhase(Phase::kSuccess);
  if (current.type == "Failed") {
    return RetryableFailure(ErrorKind::kUser,
                            std::string(kDownstreamSystemError),
                            absl::StrFormat("Job failed:\n\t%s - %s",
                                            current.reason, current.message));
  }
  if (current.type == "Suspended" && rules.knows_suspension) {
    return InPhase(Phase::kQueued, "Suspended");
  }
  return InPhase(Phase::kUndefined);
}

bool IsOverdue(const TrainingJob& job, const Settings& settings,
               absl::Time now) {
  if (job.status().has_start_time()) return false;
  if (settings.rules.knows_suspension && job.spec().run_policy().suspend()) {
    return false;
  }
  return TimeOf(job.metadata().creation_timestamp()) +
             settings.operator_timeout <
         now;
}

}  // namespace

absl::StatusOr<Condition> CurrentCondition(
    std::optional<Conditions> conditions) {
  if (!conditions.has_value()) return Condition();
  SortNewestFirst(*conditions);
  if (const Condition* const current = FirstTrue(*conditions)) return *current;
  return absl::UnknownError(absl::StrCat(
      "found no current condition. Conditions: ", Printed(*conditions)));
}

PhaseInfo KubeflowConditionPhase(const Condition& current, const Rules& rules) {
  if (current.type.empty()) return InPhase(Phase::kQueued, "JobCreated");
  return PhaseOf(current, rules, "JobCreated");
}

PhaseInfo MpiConditionPhase(const Condition& current, const Rules& rules) {
  return PhaseOf(current, rules, "New job name submitted to MPI operator");
}

bool IsKubeflowKind(std::string_view kind) { return FindKind(kind) != nullptr; }

PhaseResult KubeflowJobPhase(const TrainingJob& job, const Pods& pods,
                             const Settings& settings, absl::Time now) {
  const KindRow* const row = FindKind(job.kind());
  if (row == nullptr) {
    return absl::UnimplementedError(
        absl::StrFormat("Flyte has no plugin for kind '%s'", job.kind()));
  }
  if (settings.rules.judges_plugin_pods && !row->container.empty()) {
    const PhaseInfo info = FailedOrPendingPodPhase(
        pods, job.metadata().namespace_(),
        absl::StrCat(job.metadata().name(), "-worker-0"), row->container,
        settings, now);
    if (IsFailure(info.phase)) return info;
  }
  if (IsOverdue(job, settings, now)) {
    return absl::UnknownError(absl::StrFormat(
        "kubeflow operator hasn't updated the %s custom resource since "
        "creation time %s",
        row->name,
        GoTime(job.metadata().has_creation_timestamp()
                   ? TimeOf(job.metadata().creation_timestamp())
                   : ZeroTime())));
  }
  const auto& conditions = job.status().conditions();
  const auto current = CurrentCondition(
      conditions.empty() ? std::nullopt
                         : std::optional(ConditionsFrom(conditions)));
  if (!current.ok()) return current.status();
  return row->phase(*current, settings.rules);
}

}  // namespace mulligan::flyte
