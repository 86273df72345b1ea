#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/native/answer.h"
#include "policy/native/kubeflow/reconcile.h"

namespace mulligan {
namespace kubeflow {
namespace {

constexpr std::string_view kOldReplicaTypeLabel = "replica-type";
constexpr std::string_view kOldReplicaIndexLabel = "replica-index";

const std::string* FindLabel(const Pod& pod, std::string_view key) {
  return FindValue(pod.metadata().labels(), key);
}

bool Belongs(const Pod& pod, const TrainingJob& job) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (!owner.controller() && owner.kind() != job.kind()) continue;
    return IsSame(owner.uid(), owner.name(), job.metadata());
  }
  const std::string* const label = FindLabel(pod, kJobNameLabel);
  return label == nullptr || *label == job.metadata().name();
}

struct Place {
  std::string type;
  std::string index;
};

// Parses "<job>-<type>-<index>". A launcher has no index.
Place PlaceInName(const Pod& pod, const TrainingJob& job) {
  const std::string prefix = absl::StrCat(job.metadata().name(), "-");
  std::string rest = pod.metadata().name();
  if (!rest.starts_with(prefix)) return {};
  rest.erase(0, prefix.size());
  const auto dash = rest.rfind('-');
  if (dash == std::string::npos) return {rest, ""};
  return {rest.substr(0, dash), rest.substr(dash + 1)};
}

std::string TypeOf(const Pod& pod, const Place& named,
                   const Replicas& replicas) {
  if (const auto* const old = FindLabel(pod, kOldReplicaTypeLabel)) {
    return absl::AsciiStrToLower(*old);
  }
  for (const auto& [type, spec] : replicas) {
    if (absl::AsciiStrToLower(type) == named.type) return named.type;
  }
  return replicas.size() == 1 ? absl::AsciiStrToLower(replicas.begin()->first)
                              : "";
}

// Returns the job's reported pods: those that an owner reference or the
// job-name label assigns to it, and those that have neither. Adds missing
// labels of replica type and index: from the labels of releases before 1.5,
// from the pod's name ("<job>-<type>-<index>" or "<job>-launcher"), or else the
// only type and the next free index.
std::vector<Pod> PodsOf(const v1::FailureReport& report, const TrainingJob& job,
                        const Replicas& replicas) {
  std::vector<Pod> pods;
  std::map<std::string, int> next_index;
  for (const Pod& reported : report.pods()) {
    if (!Belongs(reported, job)) continue;
    Pod& pod = pods.emplace_back(reported);
    const Place named = PlaceInName(pod, job);
    auto& labels = *pod.mutable_metadata()->mutable_labels();
    std::string& type = labels[std::string(kReplicaTypeLabel)];
    if (type.empty()) type = TypeOf(reported, named, replicas);
    std::string& index = labels[std::string(kReplicaIndexLabel)];
    if (const auto* const old = FindLabel(reported, kOldReplicaIndexLabel);
        index.empty() && old != nullptr) {
      index = *old;
    }
    if (int number = 0; index.empty()) {
      index = absl::SimpleAtoi(named.index, &number)
                  ? named.index
                  : absl::StrCat(next_index[type]);
    }
    if (int number = 0; absl::SimpleAtoi(index, &number)) {
      next_index[type] = number + 1;
    }
  }
  return pods;
}

// The input of the steps.
struct Seen {
  const v1::FailureReport& report;
  const Observed& observed;
  const Pass& pass;
  const std::int64_t restarts;

  const RunPolicy& policy() const { return observed.job.spec().run_policy(); }
  const auto& conditions() const { return pass.status.conditions(); }
};

Counters CountersOf(const Seen& seen) {
  Counters counters = {{"restarts", seen.restarts}};
  for (const auto& [type, counts] : seen.pass.status.replica_statuses()) {
    const std::string path = absl::StrCat("replicaStatuses.", type, ".");
    counters[path + "active"] = counts.active();
    counters[path + "succeeded"] = counts.succeeded();
    counters[path + "failed"] = counts.failed();
  }
  return counters;
}

NativeCharge RestartsCharge(const Seen& seen) {
  const auto tolerated = ToleratedRestarts(seen.policy().backoff_limit());
  return {"backoffLimit", seen.restarts, std::max<std::int64_t>(0, tolerated)};
}

NativeCharge ChargeOf(const Seen& seen) {
  if (seen.pass.limit == Limit::kDeadline) return {"activeDeadlineSeconds"};
  if (seen.pass.limit == Limit::kNone) return {};
  if (PastBackoffLimit(seen.policy(), seen.restarts)) {
    return RestartsCharge(seen);
  }
  // Counts the work queue's repetitions.
  return {"backoffLimit", seen.observed.version.requeues + 1,
          std::max(0, seen.policy().backoff_limit())};
}

// Returns whether a replica failed that the success policy ignores.
bool HasIgnoredFailure(const Seen& seen) {
  if (seen.observed.kind.framework != Framework::kTensorFlow ||
      !HasChief(seen.observed.replicas) || seen.pass.limit != Limit::kNone ||
      IsFinished(seen.observed.job.status())) {
    return false;
  }
  const auto& replicas = seen.pass.status.replica_statuses();
  return std::ranges::all_of(replicas, [](const auto& replica) {
    return replica.first == "Worker" || replica.second.failed() <= 0;
  });
}

OperatorAnswer Failed(const Seen& seen) {
  OperatorAnswer answer =
      AnswerBy(seen.conditions(), kFailed, v1::Decision::FAIL,
               {.charge = ChargeOf(seen)});
  if (HasIgnoredFailure(seen)) {
    answer.warnings = {
        "by its success policy only the chief counts, yet any failed replica "
        "fails a TFJob"};
  }
  return answer;
}

// The pod is recreated at once, without being counted.
OperatorAnswer PodRestarted(const Seen& seen) {
  OperatorAnswer answer =
      AnswerBy(seen.conditions(), kRestarting, v1::Decision::RETRY,
               {.scope = v1::Decision::POD});
  if (seen.policy().has_backoff_limit()) {
    answer.warnings = {
        "spec.runPolicy.backoffLimit: restarts of deleted pods do not count, "
        "so that the limit may never be reached"};
  }
  return answer;
}

// The kubelet restarts containers in place, which counts.
OperatorAnswer ContainerRestarted(const Seen& seen, std::string_view verdict) {
  const bool counts = seen.policy().has_backoff_limit();
  return AnswerBy(seen.conditions(), verdict, v1::Decision::RETRY,
                  {.scope = v1::Decision::CONTAINER,
                   .charge = counts ? RestartsCharge(seen) : NativeCharge()});
}

OperatorAnswer CannotCreate(const v1::CreationError& error) {
  return Retries("Retry",
                 {.message = error.message(),
                  .warnings = {"the operator repeats the pass with growing "
                               "delays for ever, whatever the error"}});
}

OperatorAnswer AnswerAfterPass(const Seen& seen) {
  const auto& conditions = seen.conditions();
  if (IsTrue(conditions, kFailed)) return Failed(seen);
  for (const std::string_view end : {kSucceeded, kSuspended}) {
    if (IsTrue(conditions, end)) {
      return AnswerBy(conditions, end, v1::Decision::IGNORE);
    }
  }
  if (seen.pass.restarts) return PodRestarted(seen);
  if (seen.report.has_creation_error()) {
    return CannotCreate(seen.report.creation_error());
  }
  const bool restarting = IsTrue(conditions, kRestarting);
  const bool any_failed = std::ranges::any_of(
      seen.observed.pods,
      [](const Pod& pod) { return HasPhase(pod, "Failed"); });
  if (restarting && any_failed) {
    return AnswerBy(conditions, kRestarting, v1::Decision::WAIT,
                    {.warnings = {"the operator says Restarting and deletes no "
                                  "pod: the job stays so for ever"}});
  }
  // Restarting stays until the recreated pods run.
  const std::string_view verdict = restarting ? kRestarting : kRunning;
  if (seen.restarts > 0) return ContainerRestarted(seen, verdict);
  if (IsTrue(conditions, verdict)) {
    return AnswerBy(conditions, verdict, v1::Decision::IGNORE);
  }
  return Idle(
      "no pod of the job in the report has failed: the operator does nothing");
}

OperatorAnswer AnswerTo(const NativeInput& input, const Kind& kind,
                        const Version& version) {
  const TrainingJob& job = input.report.kubeflow_job();
  const RunPolicy& policy = job.spec().run_policy();
  if (version.managed_by && policy.has_managed_by() &&
      policy.managed_by() != "kubeflow.org/training-operator") {
    return LeftTo(policy.managed_by());
  }
  const Replicas replicas = ReplicasOf(job, kind);
  const std::vector<Pod> pods = PodsOf(input.report, job, replicas);
  const Observed observed{job, kind, replicas, pods, version, input.now};
  const Pass pass = Reconcile(observed);
  const Seen seen{input.report, observed, pass, CountedRestarts(observed)};
  OperatorAnswer answer = AnswerAfterPass(seen);
  answer.counters = CountersOf(seen);
  return answer;
}

NativeOutcome OutcomeOf(const NativeInput& input) {
  const TrainingJob& job = input.report.kubeflow_job();
  const Setup<Version> setup = VersionFor(input.semantics);
  const Kind* const kind = KindOf(job);
  if (kind == nullptr) {
    return OutcomeBy(
        job.kind(), setup.semantics, v1::Decision::WORKLOAD, setup.warnings,
        Idle(absl::StrFormat(
            "kind: '%s' is no kind of training-operator 1.9 and no map of "
            "replicas is filled; there is no native answer",
            job.kind())));
  }
  const ObjectIssues issues = ValidateTrainingJob(job, *kind);
  NativeOutcome outcome =
      OutcomeBy(kind->name, setup.semantics, v1::Decision::WORKLOAD,
                Appended(setup.warnings, issues.warnings),
                AnswerTo(input, *kind, setup.settings));
  outcome.refusals =
      RefusalsOf(issues.errors, "report.kubeflowJob",
                 absl::StrFormat("the webhook refuses such a %s", kind->name));
  return outcome;
}

}  // namespace
}  // namespace kubeflow

std::optional<NativeOutcome> TrainingJobOutcome(const NativeInput& input) {
  if (!input.report.has_kubeflow_job() ||
      kubeflow::IsOfMpiOperator(input.report.kubeflow_job())) {
    return std::nullopt;
  }
  return kubeflow::OutcomeOf(input);
}

}  // namespace mulligan
