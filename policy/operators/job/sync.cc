#include "policy/operators/job/sync.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/job/accounting.h"
#include "policy/operators/job/conditions.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/defaults.h"
#include "policy/operators/job/finish_time.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/pod_removal.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/job/verdict.h"
#include "policy/operators/kubernetes_index_set.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::job {
namespace {

// Pods created or deleted in one pass at most.
constexpr std::int64_t kMaxPodChanges = 500;

bool IsLeftAlone(const Job& job, const Gates& gates) {
  const JobSpec& spec = job.spec();
  const bool other_controller =
      gates.managed_by && spec.has_managed_by() &&
      spec.managed_by() != "kubernetes.io/job-controller";
  const bool unknown_mode = spec.has_completion_mode() &&
                            spec.completion_mode() != "NonIndexed" &&
                            spec.completion_mode() != "Indexed";
  return other_controller || unknown_mode || IsFinished(job.status());
}

std::int32_t Int32(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

class JobSync {
 public:
  explicit JobSync(const SyncInput& input)
      : in_(input), gates_(input.gates), job_(input.job) {
    SetJobDefaults(gates_, *job_.mutable_spec());
    std::copy_if(in_.pods.begin(), in_.pods.end(), std::back_inserter(active_),
                 [](const Pod* pod) { return IsActive(*pod); });
    terminating_ =
        std::count_if(in_.pods.begin(), in_.pods.end(),
                      [](const Pod* pod) { return IsTerminating(*pod); });
  }

  SyncResult Run() && {
    result_.status = job_.status();
    result_.record = in_.record;
    result_.failures = job_.status().failed() +
                       job_.status().uncounted_terminated_pods().failed_size();
    if (IsLeftAlone(job_, gates_)) return std::move(result_);
    StartIfFirst();
    CountFinished();
    FindVerdict();
    active_after_ = static_cast<std::int64_t>(active_.size());
    if (result_.verdict.has_value()) {
      Delete(active_);
    } else {
      Continue();
    }
    WriteCounts();
    Conclude();
    return std::move(result_);
  }

 private:
  const JobSpec& spec() const { return job_.spec(); }
  JobStatus& status() { return result_.status; }

  void StartIfFirst() {
    if (job_.status().has_start_time() || IsSuspended(spec())) return;
    *job_.mutable_status()->mutable_start_time() = TimestampOf(in_.now);
    *status().mutable_start_time() = TimestampOf(in_.now);
  }

  void CountFinished() {
    const NewlyFinished finished = NewlyFinishedPods(job_, in_.pods, gates_);
    succeeded_ = job_.status().succeeded() +
                 static_cast<std::int64_t>(finished.succeeded.size()) +
                 job_.status().uncounted_terminated_pods().succeeded_size();
    result_.failures = FailureCount(job_, finished.failed, gates_);
    const auto times = [&](const Pods& pods) {
      std::vector<absl::Time> finish_times;
      for (const Pod* pod : pods) {
        finish_times.push_back(FinishTime(*pod, gates_));
      }
      return finish_times;
    };
    result_.record = NextBackoffRecord(in_.record, times(finished.succeeded),
                                       times(finished.failed));
  }

  void FindVerdict() {
    VerdictInput input{job_, in_.pods, gates_, in_.now, result_.failures,
                       {},   {}};
    if (IsIndexed(spec())) {
      succeeded_indexes_ = SucceededIndexes(job_, in_.pods);
      succeeded_ = succeeded_indexes_.total();
      if (HasBackoffLimitPerIndex(spec(), gates_)) {
        failed_indexes_ = FailedIndexes(job_, in_.pods, gates_);
        awaiting_replacement_ = PodsAwaitingReplacement(
            job_, in_.pods, succeeded_indexes_, failed_indexes_, gates_);
      }
      input.succeeded_indexes = succeeded_indexes_;
      input.failed_indexes = failed_indexes_;
    }
    result_.verdict = TerminalVerdict(input);
  }

  void Continue() {
    if (!job_.metadata().has_deletion_timestamp()) ManagePods();
    const bool enough = spec().has_completions()
                            ? succeeded_ >= spec().completions()
                            : succeeded_ > 0;
    if (enough && active_after_ == 0) {
      result_.verdict = MakeCondition(
          DelaysTerminalCondition(gates_) ? kSuccessCriteriaMet : kComplete,
          "CompletionsReached", "Reached expected number of succeeded pods",
          in_.now);
    } else if (!job_.metadata().has_deletion_timestamp()) {
      WriteSuspension();
    }
  }

  void ManagePods() {
    const auto active = static_cast<std::int64_t>(active_.size());
    if (IsSuspended(spec())) {
      return Delete(PodsForRemoval(spec(), active_, active_.size()));
    }
    const std::int64_t wanted = WantedPods();
    Pods removed = PodsForRemoval(
        spec(), active_,
        static_cast<std::size_t>(std::max<std::int64_t>(active - wanted, 0)));
    if (!removed.empty()) {
      // Creations wait for the next pass, so that an index is never twice.
      removed.resize(std::min(removed.size(), std::size_t{kMaxPodChanges}));
      return Delete(removed);
    }
    const std::int64_t occupied =
        OnlyReplacesFailedPods(spec(), gates_) ? terminating_ : 0;
    const std::int64_t missing = wanted - occupied - active;
    if (missing > 0) Create(missing);
  }

  std::int64_t WantedPods() const {
    if (!spec().has_completions()) {
      // One success is enough: what runs may run on, nothing new starts.
      return succeeded_ > 0 ? static_cast<std::int64_t>(active_.size())
                            : spec().parallelism();
    }
    return std::clamp<std::int64_t>(spec().completions() - succeeded_, 0,
                                    std::max(spec().parallelism(), 0));
  }

  void Create(std::int64_t missing) {
    const bool per_index = HasBackoffLimitPerIndex(spec(), gates_);
    if (!per_index) {
      result_.delay =
          RemainingBackoff(result_.record.failures_after_last_success,
                           result_.record.last_failure, in_.now, in_.backoff);
    }
    missing = std::min(missing, kMaxPodChanges);
    if (IsIndexed(spec()) && result_.delay == absl::ZeroDuration()) {
      result_.created_indexes = FirstPendingIndexes(
          job_, in_.pods, succeeded_indexes_, failed_indexes_, gates_, missing);
      if (per_index) {
        IndexesToCreate ready =
            ReadyIndexes(result_.created_indexes, awaiting_replacement_,
                         in_.now, gates_, in_.backoff);
        result_.created_indexes = std::move(ready.now);
        result_.delay = ready.delay;
      }
      missing = static_cast<std::int64_t>(result_.created_indexes.size());
    }
    if (result_.delay > absl::ZeroDuration()) {
      // The controller reports no active pods while it waits, even if some run.
      active_after_ = 0;
      return;
    }
    result_.created_pods = missing;
    active_after_ += missing;
  }

  void Delete(const Pods& pods) {
    result_.deleted_pods = pods;
    const auto count = static_cast<std::int64_t>(pods.size());
    active_after_ -= count;
    terminating_ += count;
  }

  void WriteSuspension() {
    const bool suspended = IsSuspended(spec());
    JobCondition condition =
        MakeCondition(kSuspended, suspended ? "JobSuspended" : "JobResumed",
                      suspended ? "Job suspended" : "Job resumed", in_.now);
    condition.set_status(suspended ? "True" : "False");
    if (EnsureCondition(condition, status()) && !suspended) {
      // The deadline measures how long the Job is active without a break.
      *status().mutable_start_time() = TimestampOf(in_.now);
    }
  }

  void WriteCounts() {
    const auto ready_in = [](const Pods& pods) {
      return std::count_if(pods.begin(), pods.end(),
                           [](const Pod* pod) { return IsReady(*pod); });
    };
    status().set_active(Int32(active_after_));
    status().set_ready(
        Int32(ready_in(active_) - ready_in(result_.deleted_pods)));
    status().clear_terminating();
    if (gates_.pod_replacement_policy) {
      status().set_terminating(Int32(terminating_));
    }
    const bool succeeds = result_.verdict.has_value() &&
                          result_.verdict->type() == kSuccessCriteriaMet;
    const bool ended = result_.verdict.has_value();
    all_accounted_ = AccountPods({job_, in_.pods, gates_, ended,
                                  ended && !succeeds, awaiting_replacement_},
                                 status());
    status().clear_failed_indexes();
    if (IsIndexed(spec()) && HasBackoffLimitPerIndex(spec(), gates_)) {
      status().set_failed_indexes(failed_indexes_.ToString());
    }
  }

  // Writes the interim condition and, when nothing is left to wait for, the
  // final one.
  void Conclude() {
    if (!result_.verdict.has_value()) return;
    const JobCondition& verdict = *result_.verdict;
    const bool interim = verdict.type() == kFailureTarget ||
                         verdict.type() == kSuccessCriteriaMet;
    if (interim) EnsureCondition(verdict, status());
    const auto& uncounted = status().uncounted_terminated_pods();
    if (!all_accounted_ || uncounted.succeeded_size() > 0 ||
        uncounted.failed_size() > 0 ||
        (DelaysTerminalCondition(gates_) && terminating_ > 0)) {
      return;
    }
    const bool failed =
        verdict.type() == kFailureTarget || verdict.type() == kFailed;
    EnsureCondition(MakeCondition(failed ? kFailed : kComplete,
                                  verdict.reason(), verdict.message(), in_.now),
                    status());
    if (!failed) {
      *status().mutable_completion_time() = TimestampOf(in_.now);
    }
  }

  const SyncInput& in_;
  const Gates& gates_;
  Job job_;
  Pods active_;
  std::int64_t active_after_ = 0;
  std::int64_t terminating_ = 0;
  std::int64_t succeeded_ = 0;
  IndexSet succeeded_indexes_;
  IndexSet failed_indexes_;
  std::map<std::int64_t, const Pod*> awaiting_replacement_;
  bool all_accounted_ = true;
  SyncResult result_;
};

}  // namespace

SyncResult SyncJob(const SyncInput& input) { return JobSync(input).Run(); }

}  // namespace mulligan::job
