#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/operators/kubeflow/reconcile.h"
#include "policy/operators/kubeflow/training_job.h"
#include "policy/operators/native.h"

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

// What "<job>-<type>-<index>" says. A launcher has no index.
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

// The job's pods in the report: those an owner reference or the job-name label
// gives to it, and those that have neither. Replica type and index are filled
// in where the labels are missing: from the labels of releases before 1.5, from
// the pod's name, "<job>-<type>-<index>" or "<job>-launcher", else the only
// type there is and the next free index.
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

class Outcome {
 public:
  Outcome(const NativeInput& input, const Setup<Version>& setup,
          const Kind& kind)
      : input_(input),
        job_(input.report.kubeflow_job()),
        kind_(kind),
        version_(setup.settings),
        replicas_(ReplicasOf(job_, kind)),
        pods_(PodsOf(input.report, job_, replicas_)),
        outcome_(kind.name, v1::Decision::WORKLOAD, setup) {}

  NativeOutcome Run() && {
    outcome_.Take(ValidateTrainingJob(job_, kind_), "report.kubeflowJob",
                  absl::StrFormat("the webhook refuses such a %s", kind_.name));
    const RunPolicy& policy = job_.spec().run_policy();
    if (version_.managed_by && policy.has_managed_by() &&
        policy.managed_by() != "kubeflow.org/training-operator") {
      outcome_.Answer("Skipped", v1::Decision::IGNORE);
      outcome_.Explain("", "managed by " + policy.managed_by());
      return std::move(outcome_);
    }
    const Pass pass = Reconcile(observed_);
    Count(pass.status);
    Conclude(pass);
    return std::move(outcome_);
  }

 private:
  // With the words of the condition.
  void AnswerBy(std::string_view type, v1::Decision::Action action,
                const JobStatus& status) {
    outcome_.Answer(type, action);
    const auto* const condition = FindCondition(status.conditions(), type);
    if (condition == nullptr) return;
    outcome_.Explain(condition->reason(), condition->message());
  }

  void Count(const JobStatus& status) {
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["restarts"] = CountOf(Restarts());
    for (const auto& [type, counts] : status.replica_statuses()) {
      const std::string path = absl::StrCat("replicaStatuses.", type, ".");
      counters[path + "active"] = counts.active();
      counters[path + "succeeded"] = counts.succeeded();
      counters[path + "failed"] = counts.failed();
    }
  }

  std::int64_t Restarts() const { return CountedRestarts(observed_); }

  void Conclude(const Pass& pass) {
    const JobStatus& status = pass.status;
    if (IsTrue(status.conditions(), kFailed)) {
      AnswerBy(kFailed, v1::Decision::FAIL, status);
      ChargeLimit(pass.limit);
      return WarnOfChief(pass);
    }
    for (const std::string_view type : {kSucceeded, kSuspended}) {
      if (IsTrue(status.conditions(), type)) {
        return AnswerBy(type, v1::Decision::IGNORE, status);
      }
    }
    if (pass.restarts) return Restart(status);
    if (input_.report.has_creation_error()) return AnswerCreationError();
    const bool restarting = IsTrue(status.conditions(), kRestarting);
    const bool any_failed =
        std::any_of(pods_.begin(), pods_.end(),
                    [](const Pod& pod) { return HasPhase(pod, "Failed"); });
    if (restarting && any_failed) {
      AnswerBy(kRestarting, v1::Decision::WAIT, status);
      outcome_.Warn(
          "the operator says Restarting and deletes no pod: the job stays so "
          "for ever");
      return;
    }
    // Restarting stays until the pods made again run.
    const std::string_view word = restarting ? kRestarting : kRunning;
    if (Restarts() > 0) return RestartContainer(word, status);
    if (IsTrue(status.conditions(), word)) {
      return AnswerBy(word, v1::Decision::IGNORE, status);
    }
    outcome_.Answer("None", v1::Decision::IGNORE);
    outcome_.Warn(
        "no pod of the job in the report has failed: the operator does "
        "nothing");
  }

  // The pod is made again at once; nothing counts that.
  void Restart(const JobStatus& status) {
    AnswerBy(kRestarting, v1::Decision::RETRY, status);
    outcome_.scope = v1::Decision::POD;
    if (!job_.spec().run_policy().has_backoff_limit()) return;
    outcome_.Warn(
        "spec.runPolicy.backoffLimit: restarts of deleted pods do not count, "
        "so that the limit may never be reached");
  }

  // The kubelet restarts containers in place, which counts.
  void RestartContainer(std::string_view word, const JobStatus& status) {
    AnswerBy(word, v1::Decision::RETRY, status);
    outcome_.scope = v1::Decision::CONTAINER;
    if (job_.spec().run_policy().has_backoff_limit()) Charge();
  }

  void Charge() {
    const auto limit = job_.spec().run_policy().backoff_limit();
    outcome_.Charge("backoffLimit", Restarts(),
                    std::max<std::int64_t>(0, ToleratedRestarts(limit)));
  }

  void ChargeLimit(Limit limit) {
    const RunPolicy& policy = job_.spec().run_policy();
    if (limit == Limit::kDeadline) {
      outcome_.charged_to = "activeDeadlineSeconds";
    } else if (limit == Limit::kBackoff &&
               PastBackoffLimit(policy, Restarts())) {
      Charge();
    } else if (limit == Limit::kBackoff) {
      // By the work queue's own count.
      outcome_.Charge("backoffLimit", version_.requeues + 1,
                      std::max(0, policy.backoff_limit()));
    }
  }

  // A failed replica that the success policy does not look at.
  void WarnOfChief(const Pass& pass) {
    if (kind_.framework != Framework::kTensorFlow || !HasChief(replicas_) ||
        pass.limit != Limit::kNone || IsFinished(job_.status())) {
      return;
    }
    for (const auto& [type, counts] : pass.status.replica_statuses()) {
      if (type != "Worker" && counts.failed() > 0) return;
    }
    outcome_.Warn(
        "by its success policy only the chief counts, yet any failed replica "
        "fails a TFJob");
  }

  void AnswerCreationError() {
    outcome_.Answer("Retry", v1::Decision::RETRY);
    outcome_.Explain("", input_.report.creation_error().message());
    outcome_.Warn(
        "the operator repeats the pass with growing delays for ever, whatever "
        "the error");
  }

  const NativeInput& input_;
  const TrainingJob& job_;
  const Kind& kind_;
  const Version version_;
  const Replicas replicas_;
  const std::vector<Pod> pods_;
  const Observed observed_{job_, kind_, replicas_, pods_, version_, input_.now};
  NativeOutcome outcome_;
};

NativeOutcome UnknownKind(const TrainingJob& job, const Setup<Version>& setup) {
  NativeOutcome outcome(job.kind(), v1::Decision::WORKLOAD, setup);
  outcome.Answer("None", v1::Decision::IGNORE);
  outcome.Warn(
      absl::StrFormat("kind: '%s' is no kind of training-operator 1.9 and no "
                      "map of replicas is "
                      "filled; there is no native answer",
                      job.kind()));
  return outcome;
}

}  // namespace
}  // namespace kubeflow

std::optional<NativeOutcome> TrainingJobOutcome(const NativeInput& input) {
  if (!input.report.has_kubeflow_job()) return std::nullopt;
  const auto& job = input.report.kubeflow_job();
  if (kubeflow::IsOfMpiOperator(job)) return std::nullopt;
  const auto setup = kubeflow::VersionFor(input.semantics);
  const auto* const kind = kubeflow::KindOf(job);
  if (kind == nullptr) return kubeflow::UnknownKind(job, setup);
  return kubeflow::Outcome(input, setup, *kind).Run();
}

}  // namespace mulligan
