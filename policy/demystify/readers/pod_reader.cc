#include <algorithm>

#include "policy/demystify/life_signs.h"
#include "policy/demystify/readers/readers.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Kubelet and node controller report trouble of a node this late.
constexpr Seconds kNodeReportDelay = 60;

Phase PhaseOf(const std::string& phase) {
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
    if (pod_.spec().has_termination_grace_period_seconds()) {
      state_.grace = pod_.spec().termination_grace_period_seconds();
    }
    ReadContainers(context_, index_, state_, facts_);
    if (status.conditions_size() > 0) {
      ReadPodConditions(context_, index_, state_, facts_);
    }
    if (!status.reason().empty() || !status.message().empty()) ReadReason();
    if (pod_.metadata().has_deletion_timestamp()) ReadDeletion();
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
    Weigh();
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
    const bool told = vague && AddText(facts_, KubeletTexts(), status.message(),
                                       message, kUnknownTime) != nullptr;
    if (row == nullptr) return;
    Candidate& fact = AddFact(facts_, "pod-reason", *row,
                              InPod(index_, ".status.reason"), status.reason());
    if (told) fact.tier = Tier::kConvention;
    if (state_.phase == Phase::kRunning &&
        fact.confidence == v1::Diagnosis::HIGH && row->key != "NodeLost") {
      // The reason of an earlier shutdown stays when the pod comes back.
      fact.confidence = v1::Diagnosis::MEDIUM;
    }
  }

  // The timestamp is when the grace period ends.
  Seconds DeletionRequested() const {
    const auto& metadata = pod_.metadata();
    const Seconds gone = ToSeconds(metadata.deletion_timestamp());
    if (!Known(gone)) return kUnknownTime;
    return gone - std::clamp<Seconds>(metadata.deletion_grace_period_seconds(),
                                      0, gone);
  }

  void ReadDeletion() {
    const Seconds gone = ToSeconds(pod_.metadata().deletion_timestamp());
    if (!Known(gone)) return;
    Sign(sign::kDeletionRequested, ".metadata.deletionTimestamp", "set",
         DeletionRequested());
    const bool still_there =
        state_.phase == Phase::kRunning && state_.end == End::kNone;
    if (still_there && Before(gone + kStuck, context_.now)) {
      Candidate& fact = Sign(sign::kStuckTerminating,
                             ".metadata.deletionTimestamp", "set", gone);
      fact.PutAheadOf(fact.row->weight);
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
    Seconds mark = DeletionRequested();
    for (const core::PodCondition& condition : pod_.status().conditions()) {
      if (condition.type() == "DisruptionTarget" &&
          condition.status() == "True") {
        mark = Earlier(mark, ToSeconds(condition.last_transition_time()));
      }
    }
    if (!Known(mark)) return;
    if (state_.recovered && Before(state_.finished_at, mark)) {
      for (Candidate& fact : facts_) {
        if (fact.at == state_.finished_at) {
          Demote(fact, "that run of the container is over");
        }
      }
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
      Candidate& fact = Sign(sign::kWorkloadPodSucceeded, ".status.phase",
                             "Succeeded", state_.finished_at);
      fact.tier = Tier::kDecisive;
      fact.PutAheadOf(kQueueWeight);
      return;
    }
    if (state_.end == End::kClean &&
        (state_.phase != Phase::kRunning || OnlyHelpersRun(pod_))) {
      Sign(sign::kWorkloadPodSucceeded, ".status.containerStatuses",
           "exit code 0", state_.finished_at);
      if (state_.phase == Phase::kFailed) {
        facts_.back().confidence = v1::Diagnosis::MEDIUM;
      }
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
  void Weigh() {
    const bool oom = HasFreshOomKill();
    const bool runs = !state_.recovered && PodRuns(pod_);
    const bool starts = state_.phase == Phase::kPending &&
                        !Known(state_.marked) && WasPlaced(pod_);
    for (Candidate& fact : facts_) {
      if (!fact.decides()) continue;
      const bool goes_on = runs || (starts && fact.place.root == Root::kNodes);
      if (goes_on && IsPassing(fact) && !ExplainsDeletion(fact)) {
        Demote(fact, runs ? "the pod is running" : "the pod is starting");
        continue;
      }
      // A kubelet that restarts may refuse pods that have done their work.
      if (fact.cause == v1::DEVICE_ADMISSION && state_.end == End::kClean) {
        Demote(fact, "the container had ended well before");
        continue;
      }
      // Within the grace period of a deletion a program may answer its SIGTERM
      // with an exit of its own.
      if (fact.row == &sign::kDeletionRequested && state_.end == End::kOwn &&
          pod_.metadata().deletion_grace_period_seconds() > 0 &&
          Known(fact.at) && fact.at <= state_.finished_at &&
          state_.finished_at <=
              ToSeconds(pod_.metadata().deletion_timestamp()) +
                  kNodeReportDelay) {
        fact.confidence = v1::Diagnosis::LOW;
        continue;
      }
      if ((fact.flags & kUnclearEndOnly) != 0) {
        if (!state_.unclear_end()) {
          // A program may answer the SIGTERM of a failed probe with an exit of
          // its own, too.
          if (fact.cause == v1::PROBE_KILLED && fact.tier == Tier::kDecisive &&
              state_.end == End::kOwn && !NamesItsError()) {
            fact.confidence = v1::Diagnosis::MEDIUM;
          } else {
            Demote(fact, "the container ended by itself");
          }
          continue;
        }
        const bool alive = state_.end == End::kNone && !state_.blocked &&
                           !state_.looping && !Known(state_.marked) &&
                           (state_.phase == Phase::kRunning ||
                            state_.phase == Phase::kPending);
        if (alive && fact.tier <= Tier::kConvention) {
          Demote(fact, "nothing has ended the pod");
          continue;
        }
      }
      const bool outside = fact.order <= 2 * kDisruptionWeight ||
                           (fact.flags & kUnclearEndOnly) != 0;
      if (outside && state_.end != End::kClean && AfterTheEnd(fact)) {
        Demote(fact, "announced after the container had ended");
        continue;
      }
      if (oom && YieldsToOomKill(fact)) {
        Demote(fact, "the container was killed at its memory limit");
      }
    }
  }

  // The container or its log tells what it failed of.
  bool NamesItsError() const {
    return std::ranges::any_of(facts_, [](const Candidate& fact) {
      return fact.decides() && fact.place.root == Root::kPods &&
             fact.tier >= Tier::kSpecific && fact.cause != v1::PROBE_KILLED;
    });
  }

  // Of a pod that runs: what an event said, and trouble of its node that may
  // still pass.
  bool IsPassing(const Candidate& fact) const {
    if (fact.place.root == Root::kEvents) return true;
    return fact.place.root == Root::kNodes &&
           !(Known(fact.at) && Before(fact.at + kNodePatience, context_.now));
  }

  // What happened to the node shortly before the pod was deleted.
  bool ExplainsDeletion(const Candidate& fact) const {
    const Seconds requested = DeletionRequested();
    return fact.IsOf(kDisruptionWeight) && Known(fact.at) && Known(requested) &&
           fact.at <= requested && requested <= fact.at + kNodeLossSeenAfter;
  }

  bool AfterTheEnd(const Candidate& fact) const {
    if (fact.place.root == Root::kPods || fact.place.root == Root::kWorkload) {
      return Before(state_.finished_at, fact.at);
    }
    return Known(fact.at) && Known(state_.finished_at) &&
           state_.finished_at + kNodeReportDelay < fact.at;
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

  // An OOM kill stands (kubernetes.md 9.5) unless the node itself was short
  // of memory, or the pod was being disrupted when it happened.
  bool YieldsToOomKill(const Candidate& fact) const {
    if (fact.cause == v1::CONTAINER_OOM || fact.cause == v1::SUCCEEDED ||
        fact.cause == v1::NODE_PRESSURE_EVICTED ||
        fact.cause == v1::STORAGE_EXHAUSTED || fact.cause == v1::NODE_LOST) {
      return false;
    }
    return fact.tier == Tier::kDecisive && fact.order < 2 * kContainerWeight &&
           !(Known(fact.at) && Known(state_.finished_at));
  }

  // A node of spot capacity that went away was most likely taken back.
  void ReadSpot() {
    const Candidate* best = Strongest(facts_);
    if (best == nullptr) return;
    const bool gone =
        best->cause == v1::NODE_SHUTDOWN ||
        (best->cause == v1::NODE_LOST && best->tier == Tier::kDecisive &&
         best->IsOf(kDisruptionWeight));
    if (!gone) return;
    std::string_view label;
    Place place;
    if (!FindSpotSign(context_, index_, place, label)) return;
    const Weight weight = WeightOf(*best);
    AddSign(facts_, sign::kSpotNodeShutdown, place, label, best->at)
        .PutAheadOf(weight);
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
