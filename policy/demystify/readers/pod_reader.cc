#include "policy/demystify/readers/pod_reader.h"

#include <algorithm>
#include <span>

#include "policy/base/conditions.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/condition_reader.h"
#include "policy/demystify/readers/container_reader.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/event_reader.h"
#include "policy/demystify/readers/job_rules.h"
#include "policy/demystify/readers/node_reader.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/demystify/weighing/worth.h"
#include "policy/request/accelerators.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

Phase PhaseOf(std::string_view phase) {
  if (phase == "Running") return Phase::kRunning;
  if (phase == "Failed") return Phase::kFailed;
  if (phase == "Pending") return Phase::kPending;
  if (phase == "Succeeded") return Phase::kSucceeded;
  return Phase::kUnknown;
}

Place InPod(int index, const char* leaf) {
  return {Root::kPods, index, "", -1, leaf};
}

// The main containers are done for good, and what still runs only helped them.
bool OnlyHelpersRun(const core::Pod& pod) {
  if (pod.spec().restart_policy() == "Always") return false;
  bool runs = false;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (status.state().has_terminated()) continue;
    if (!status.state().has_running() || !IsHelper(pod, status.name())) {
      return false;
    }
    runs = true;
  }
  return runs;
}

bool IsOfLostNode(const Candidate& fact) {
  return fact.row != nullptr && fact.row->cause == v1::NODE_LOST &&
         fact.row->tier >= Tier::kSpecific;
}

// Claims of devices (resource.k8s.io) are not told.
bool SaysWhatItHolds(const core::Pod& pod) {
  return std::ranges::any_of(pod.spec().containers(),
                             [](const core::Container& container) {
                               return container.has_resources();
                             });
}

class PodReader {
 public:
  PodReader(const Context& context, int index, Candidates& facts)
      : context_(context),
        index_(index),
        pod_(context.report.pods(index)),
        facts_(facts) {}

  PodReading Read() {
    const core::PodStatus& status = pod_.status();
    state_.phase = PhaseOf(status.phase());
    state_.cleaned_up = IsCleanedUp(context_.owners, pod_);
    if (pod_.spec().has_termination_grace_period_seconds()) {
      state_.grace = pod_.spec().termination_grace_period_seconds();
    }
    state_.without_device = SaysWhatItHolds(pod_) && AcceleratorsOf(pod_) == 0;
    state_ = ReadContainers(context_, index_, state_, facts_);
    if (state_.cleaned_up && state_.end == End::kNone &&
        state_.phase != Phase::kPending) {
      state_.phase = Phase::kRunning;
    }
    if (status.conditions_size() > 0) {
      ReadPodConditions(context_, index_, state_, facts_);
    }
    if (!status.reason().empty() || !status.message().empty()) ReadReason();
    if (pod_.metadata().has_deletion_timestamp()) ReadDeletion();
    if (state_.phase == Phase::kFailed) ReadJobRules(context_, index_, facts_);
    ReadMark();
    state_.beside = state_.beside || IsSubmitter();
    if (!context_.report.nodes().empty()) {
      ReadNodeOf(context_, index_, state_, facts_);
    }
    if (!context_.report.events().empty()) {
      ReadEventsOfPod(context_, index_, state_, facts_);
    }
    if (!context_.report.usage().empty()) ReadUsage();
    if (state_.container >= 0 && !state_.init) ReadDevices();
    ReadOutcome();
    WeighAll();
    ReadSpot();
    PodReading reading;
    reading.pod = index_;
    if (const Candidate* best = Strongest(facts_)) reading.best = *best;
    reading.state = state_;
    return reading;
  }

 private:
  Candidate& Sign(const Signature& sign, const char* leaf,
                  std::string_view value, Seconds at = kUnknownTime) {
    return AddSign(facts_, sign, InPod(index_, leaf), value, at);
  }

  void ReadReason() {
    const core::PodStatus& status = pod_.status();
    const Signature* row = FindPodReason(status.reason());
    const Place message = InPod(index_, ".status.message");
    context_.AddUserSignature(facts_, v1::Signature::POD_MESSAGE,
                              status.message(), state_.exit_code, message,
                              kUnknownTime);
    // Only the message tells the two kinds of eviction apart, and it is all
    // there is when the reason is absent or not known.
    const bool vague = row == nullptr || row->confidence == v1::Diagnosis::LOW;
    const Signature* told =
        vague ? AddText(facts_, KubeletTexts(), status.message(), message,
                        kUnknownTime)
              : nullptr;
    if (row == nullptr) return;
    Candidate& fact = AddFact(facts_, "pod-reason", *row,
                              InPod(index_, ".status.reason"), status.reason());
    Weigh(Round::kBeside, fact, {.message = told, .state = state_});
  }

  void ReadDeletion() {
    const Seconds gone = ToSeconds(pod_.metadata().deletion_timestamp());
    if (!Known(gone)) return;
    Sign(sign::kDeletionRequested, ".metadata.deletionTimestamp", "set",
         DeletionRequested(pod_));
    if (state_.cleaned_up) return;
    const bool still_there =
        state_.phase == Phase::kRunning && state_.end == End::kNone;
    if (still_there && Before(gone + kStuck, context_.now)) {
      Weigh(Round::kRead, Sign(sign::kStuckTerminating,
                               ".metadata.deletionTimestamp", "set", gone));
    }
  }

  // What submits the work of an object that has run it, or run it before: its
  // Job starts it again, and how the program ended is in that object (KubeRay
  // 1.5).
  bool IsSubmitter() const {
    const auto& owners = context_.owners.views;
    if (std::ranges::none_of(owners, &WorkloadView::was_tried)) return false;
    return std::ranges::any_of(
        pod_.metadata().owner_references(),
        [](const auto& owner) { return owner.kind() == "Job"; });
  }

  // Of a container that runs again after an earlier end, the end to come is
  // the one that counts.
  void ReadMark() {
    Seconds mark = state_.cleaned_up || !IsDeleted(pod_)
                       ? kUnknownTime
                       : DeletionRequested(pod_);
    const auto* const target =
        FindCondition(pod_.status().conditions(), "DisruptionTarget", "True");
    if (target != nullptr) {
      mark = Earlier(mark, ToSeconds(target->last_transition_time()));
    }
    if (!Known(mark)) return;
    if (state_.recovered && Before(state_.finished_at, mark)) {
      Weigh(Round::kRun, std::span(facts_), {.state = state_});
      state_.recovered = false;
      state_.end = End::kNone;
      state_.exit_code.reset();
      state_.finished_at = kUnknownTime;
      state_.message = {};
    }
    if (!Before(state_.finished_at, mark)) state_.marked = mark;
  }

  void ReadUsage() {
    if (state_.end != End::kKilled) return;
    if (SignalOf(state_.exit_code.value_or(0)) != 9) return;
    const std::string_view container = ContainerName(pod_, state_);
    for (const int i : context_.UsageOf(pod_)) {
      const v1::ContainerUsage& usage = context_.report.usage(i);
      const bool ours =
          (usage.pod().empty() || usage.pod() == pod_.metadata().name()) &&
          (usage.container().empty() || usage.container() == container);
      // Sampling misses the last peak: 95 % counts as reached.
      const bool reached =
          usage.memory_limit_bytes() > 0 &&
          usage.memory_peak_bytes() >=
              usage.memory_limit_bytes() - usage.memory_limit_bytes() / 20;
      if (!ours || !reached) continue;
      AddSign(facts_, sign::kMemoryPeakAtLimit,
              {Root::kUsage, i, "", -1, ".memoryPeakBytes"}, "at the limit");
    }
  }

  // A device its plug-in calls unhealthy; network adapters are devices too.
  void ReadDevices() {
    const auto& statuses = pod_.status().container_statuses();
    if (state_.end == End::kClean || state_.container >= statuses.size())
      return;
    for (const core::ResourceStatus& resource :
         statuses[state_.container].allocated_resources_status()) {
      for (const core::ResourceHealth& device : resource.resources()) {
        if (device.health() != "Unhealthy") continue;
        const std::string& name = resource.name();
        Candidate& fact =
            AddSign(facts_, sign::kDeviceUnhealthy,
                    {Root::kPods, index_, kContainerStatuses, state_.container,
                     ".allocatedResourcesStatus"},
                    name);
        if (name.find("rdma") != std::string::npos ||
            name.find("roce") != std::string::npos ||
            name.find("/ib") != std::string::npos) {
          fact.cause = v1::FABRIC_FAULT;
        }
        return;
      }
    }
  }

  // What the phase alone says.
  void ReadOutcome() {
    if (state_.phase == Phase::kSucceeded) {
      Weigh(Round::kRead,
            Sign(sign::kWorkloadPodSucceeded, ".status.phase", "Succeeded",
                 state_.finished_at),
            {.state = state_});
      return;
    }
    if (state_.end == End::kClean &&
        (state_.phase != Phase::kRunning || OnlyHelpersRun(pod_))) {
      Weigh(Round::kRead,
            Sign(sign::kWorkloadPodSucceeded, ".status.containerStatuses",
                 "exit code 0", state_.finished_at),
            {.state = state_});
      return;
    }
    if (Strongest(facts_) != nullptr) return;
    if (state_.phase == Phase::kFailed) {
      Sign(state_.started ? sign::kFailedWhileRunning
                          : sign::kFailedWithoutStatus,
           ".status.phase", "Failed");
    } else if (state_.phase == Phase::kPending) {
      ReadPending();
    }
  }

  void ReadPending() {
    if (InitRuns(pod_)) return;
    const Seconds since = StartingSince(pod_);
    if (Known(since) && Before(since + kStuck, context_.now)) {
      Sign(sign::kStillStarting, ".status.phase", "Pending", since);
    }
  }

  // Facts against each other: a kill explains itself by nothing, an end of
  // its own needs no explanation from outside, and what was announced after
  // the end did not cause it.
  void WeighAll() {
    const auto& metadata = pod_.metadata();
    Weigh(Round::kPod, std::span(facts_),
          {.state = state_,
           .runs = !state_.recovered && (PodRuns(pod_) || RanToTheLast()),
           .starts = state_.phase == Phase::kPending && !Known(state_.marked) &&
                     WasPlaced(pod_),
           .deletion_requested =
               IsDeleted(pod_) ? DeletionRequested(pod_) : kUnknownTime,
           .deletion_grace = metadata.deletion_grace_period_seconds(),
           .deletion_ends = ToSeconds(metadata.deletion_timestamp()),
           .now = context_.now,
           .oom_killed = HasFreshOomKill(),
           .facts = std::span(facts_)});
  }

  // Nothing had ended it when its owner cleaned up.
  bool RanToTheLast() const {
    return state_.cleaned_up && state_.started && state_.end == End::kNone;
  }

  bool HasFreshOomKill() const {
    for (const Candidate& fact : facts_) {
      if (fact.decides() && fact.row->key == key::kOomKilled &&
          fact.place.root == Root::kPods && fact.cause == v1::CONTAINER_OOM) {
        return true;
      }
    }
    return false;
  }

  void ReadSpot() {
    const Candidate* best = Strongest(facts_);
    if (best == nullptr) return;
    const bool behind_taint = best->cause == v1::TAINT_EVICTED &&
                              std::ranges::any_of(facts_, IsOfLostNode);
    const bool gone =
        behind_taint || best->cause == v1::NODE_SHUTDOWN ||
        (best->cause == v1::NODE_LOST && best->tier == Tier::kDecisive &&
         best->IsOf(kDisruptionWeight));
    if (!gone) return;
    std::string_view label;
    Place place;
    if (!FindSpotSign(context_, index_, place, label)) return;
    const Candidate shutdown = *best;
    Candidate& sign =
        AddSign(facts_, sign::kSpotNodeShutdown, place, label, shutdown.at);
    // Of a taint it is what stands behind.
    if (!behind_taint) Weigh(Round::kRead, sign, {.strongest = &shutdown});
  }

  const Context& context_;
  const int index_;
  const core::Pod& pod_;
  Candidates& facts_;
  PodState state_;
};

}  // namespace

PodReading ReadPod(const Context& context, int index, Candidates& facts) {
  return PodReader(context, index, facts).Read();
}

}  // namespace mulligan::demystify
