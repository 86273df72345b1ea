#include "policy/demystify/readers/pod_reader.h"

#include <algorithm>
#include <span>

#include "policy/base/conditions.h"
#include "policy/demystify/context.h"
#include "policy/demystify/ended_attempt.h"
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

struct Subject {
  const Context& context;
  int index;
  const core::Pod& pod;

  Place At(const char* leaf) const {
    return {Root::kPods, index, "", -1, leaf};
  }
};

// Returns whether the main containers are done for good and only helpers run.
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

// Returns whether containers state resources, other than device claims.
bool StatesResources(const core::Pod& pod) {
  return std::ranges::any_of(pod.spec().containers(),
                             [](const core::Container& container) {
                               return container.has_resources();
                             });
}

// Returns the state of the pod's containers and of its clean-up.
PodState ReadState(const Subject& of, Candidates& facts) {
  const core::PodSpec& spec = of.pod.spec();
  PodState state;
  state.phase = PhaseOf(of.pod.status().phase());
  state.cleaned_up = IsCleanedUp(of.context.owners, of.pod);
  if (spec.has_termination_grace_period_seconds()) {
    state.grace = spec.termination_grace_period_seconds();
  }
  state.without_device = StatesResources(of.pod) && AcceleratorsOf(of.pod) == 0;
  state = ReadContainers(of.context, of.index, state, facts);
  if (state.cleaned_up && state.end == End::kNone &&
      state.phase != Phase::kPending && state.phase != Phase::kSucceeded) {
    state.phase = Phase::kRunning;
  }
  return state;
}

// Adds the row of a scheduler's sentence, else of what the sentence quotes: a
// pod's status, an event, or an error of a program.
void ReadSentence(const Subject& of, std::string_view reason, Seconds at,
                  Candidates& facts) {
  if (reason.find(' ') == reason.npos) return;
  for (const TextTable& (*table)() :
       {SchedulerTexts, ImageTexts, KubeletTexts, KillingTexts, SchedulingTexts,
        StartTexts, MountTexts, CreationTexts, ApplicationTexts}) {
    if (table == ImageTexts && !IsAboutImage(reason)) continue;
    const Place place = of.At(".status.message");
    if (AddText(facts, table(), reason, place, at) != nullptr) return;
  }
}

// Returns the line in which a runner or `docker run` says why it has no image;
// empty if there is none.
std::string_view PullErrorIn(std::string_view log) {
  if (const std::size_t at = log.rfind("ailed to pull image"); at != log.npos) {
    return LineAround(log, at).line;
  }
  const std::size_t at = log.rfind("Error response from daemon: ");
  if (at == log.npos) return {};
  const std::string_view line = LineAround(log, at).line;
  constexpr std::string_view kOfRegistries[] = {"pull", "manifest", "/v2/",
                                                "toomanyrequests"};
  const bool about_image = std::ranges::any_of(
      kOfRegistries,
      [line](std::string_view word) { return line.find(word) != line.npos; });
  return about_image ? line : std::string_view();
}

// Adds facts from the scheduler about an attempt without Kubernetes objects.
void ReadAttempt(const Subject& of, const PodState& state, Candidates& facts) {
  const v1::EndedAttempt& attempt = of.context.report.ended_attempt();
  const Seconds at = ToSeconds(attempt.ended_at());
  of.context.AddUserSignature(facts, v1::Signature::POD_MESSAGE,
                              attempt.reason(), state.exit_code,
                              of.At(".status.message"), at);
  std::string_view word;
  const Signature* row = FindSchedulerWord(attempt, word);
  if (row != nullptr) {
    const bool is_state = word.data() == attempt.state().data();
    Candidate& fact = AddFact(
        facts, "scheduler", *row,
        of.At(is_state ? ".status.reason" : ".status.message"), word, at);
    Weigh(Round::kSameObject, fact, {.state = state});
  }
  // A state that only sums up leaves the cause to what is said of it.
  if (row == nullptr || row->tier < Tier::kSpecific) {
    ReadSentence(of, attempt.reason(), at, facts);
    const std::string_view pull = PullErrorIn(attempt.log_tail());
    if (!pull.empty()) {
      AddText(facts, ImageTexts(), pull, of.At(".log.message"), at);
    }
  }
  // No container's end has the log.
  if (of.pod.status().container_statuses().empty()) {
    of.context.log.Add(facts, attempt.log_tail(), of.At(".log.message"), at,
                       /*killed=*/false);
    if (Strongest(facts) == nullptr && state.phase == Phase::kFailed) {
      AddSign(facts, sign::kEndedWithoutAWord, of.At(".status.reason"),
              attempt.state(), at);
    }
  }
}

void ReadReason(const Subject& of, const PodState& state, Candidates& facts) {
  const core::PodStatus& status = of.pod.status();
  if (status.reason().empty() && status.message().empty()) return;
  const Signature* row = FindPodReason(status.reason());
  const Place message = of.At(".status.message");
  of.context.AddUserSignature(facts, v1::Signature::POD_MESSAGE,
                              status.message(), state.exit_code, message,
                              kUnknownTime);
  // Only the message distinguishes the two kinds of eviction. It is the only
  // evidence if the reason is absent or unknown.
  const bool vague = row == nullptr || row->confidence == v1::Diagnosis::LOW;
  const Signature* text = vague
                              ? AddText(facts, KubeletTexts(), status.message(),
                                        message, kUnknownTime)
                              : nullptr;
  if (row == nullptr) return;
  Candidate& fact = AddFact(facts, "pod-reason", *row, of.At(".status.reason"),
                            status.reason());
  Weigh(Round::kSameObject, fact, {.message = text, .state = state});
}

void ReadDeletion(const Subject& of, const PodState& state, Candidates& facts) {
  const Seconds gone = ToSeconds(of.pod.metadata().deletion_timestamp());
  if (!Known(gone)) return;
  const Place place = of.At(".metadata.deletionTimestamp");
  AddSign(facts, sign::kDeletionRequested, place, "set",
          DeletionRequested(of.pod));
  const bool still_there = !state.cleaned_up &&
                           state.phase == Phase::kRunning &&
                           state.end == End::kNone;
  if (still_there && Before(gone + kStuck, of.context.now)) {
    Weigh(Round::kRead,
          AddSign(facts, sign::kStuckTerminating, place, "set", gone));
  }
}

// Returns when the end of the pod was announced.
Seconds MarkOf(const core::Pod& pod, const PodState& state) {
  const Seconds deleted = state.cleaned_up || !IsDeleted(pod)
                              ? kUnknownTime
                              : DeletionRequested(pod);
  const auto* const target =
      FindCondition(pod.status().conditions(), "DisruptionTarget", "True");
  return target == nullptr
             ? deleted
             : Earlier(deleted, ToSeconds(target->last_transition_time()));
}

// Sets the mark. If a container runs again, its next end counts.
PodState Marked(PodState state, Seconds mark, Candidates& facts) {
  if (state.recovered && Before(state.finished_at, mark)) {
    Weigh(Round::kRun, std::span(facts), {.state = state});
    state.recovered = false;
    state.end = End::kNone;
    state.exit_code.reset();
    state.finished_at = kUnknownTime;
    state.message = {};
  }
  if (!Before(state.finished_at, mark)) state.marked = mark;
  return state;
}

// Returns whether the pod submits work that its owner runs: its Job restarts
// it, and the owner's status shows how the program ended (KubeRay 1.5). Once
// the owner tries the work again, the Job's last pod shows why it failed.
bool IsSubmitter(const Subject& of) {
  const auto& owners = of.context.owners.views;
  if (std::ranges::none_of(owners, &WorkloadView::was_tried)) return false;
  const auto& references = of.pod.metadata().owner_references();
  const auto job = std::ranges::find(
      references, "Job", [](const auto& owner) { return owner.kind(); });
  if (job == references.end()) return false;
  const auto last = of.context.last_created.find(job->uid());
  return last == of.context.last_created.end() ||
         of.pod.metadata().creation_timestamp().seconds() < last->second;
}

// Adds a sign if memory use was at the limit before a SIGKILL.
void ReadUsage(const Subject& of, const PodState& state, Candidates& facts) {
  if (state.end != End::kKilled) return;
  if (SignalOf(state.exit_code.value_or(0)) != 9) return;
  const std::string_view container = ContainerName(of.pod, state);
  for (const int i : of.context.UsageOf(of.pod)) {
    const v1::ContainerUsage& usage = of.context.report.usage(i);
    const bool ours =
        (usage.pod().empty() || usage.pod() == of.pod.metadata().name()) &&
        (usage.container().empty() || usage.container() == container);
    // Sampling misses the last peak, so 95 % counts.
    const bool reached =
        usage.memory_limit_bytes() > 0 &&
        usage.memory_peak_bytes() >=
            usage.memory_limit_bytes() - usage.memory_limit_bytes() / 20;
    if (!ours || !reached) continue;
    AddSign(facts, sign::kMemoryPeakAtLimit,
            {Root::kUsage, i, "", -1, ".memoryPeakBytes"}, "at the limit");
  }
}

bool IsOfFabric(std::string_view device) {
  return device.find("rdma") != std::string_view::npos ||
         device.find("roce") != std::string_view::npos ||
         device.find("/ib") != std::string_view::npos;
}

// Adds an unhealthy device. Network adapters are devices, too.
void ReadDevices(const Subject& of, const PodState& state, Candidates& facts) {
  const auto& statuses = of.pod.status().container_statuses();
  if (state.container < 0 || state.init || state.end == End::kClean ||
      state.container >= statuses.size()) {
    return;
  }
  for (const core::ResourceStatus& resource :
       statuses[state.container].allocated_resources_status()) {
    for (const core::ResourceHealth& device : resource.resources()) {
      if (device.health() != "Unhealthy") continue;
      Candidate& fact = AddSign(facts, sign::kDeviceUnhealthy,
                                {Root::kPods, of.index, kContainerStatuses,
                                 state.container, ".allocatedResourcesStatus"},
                                resource.name());
      if (IsOfFabric(resource.name())) fact.cause = v1::FABRIC_FAULT;
      return;
    }
  }
}

bool IsStuckPending(const Subject& of) {
  if (InitRuns(of.pod)) return false;
  const Seconds since = StartingSince(of.pod);
  return Known(since) && Before(since + kStuck, of.context.now);
}

// Adds what the phase alone shows.
void ReadOutcome(const Subject& of, const PodState& state, Candidates& facts) {
  const bool succeeded = state.phase == Phase::kSucceeded;
  if (succeeded ||
      (state.end == End::kClean &&
       (state.phase != Phase::kRunning || OnlyHelpersRun(of.pod)))) {
    const char* leaf =
        succeeded ? ".status.phase" : ".status.containerStatuses";
    Weigh(Round::kRead,
          AddSign(facts, sign::kWorkloadPodSucceeded, of.At(leaf),
                  succeeded ? "Succeeded" : "exit code 0", state.finished_at),
          {.state = state});
    return;
  }
  if (Strongest(facts) != nullptr) return;
  const Place phase = of.At(".status.phase");
  if (state.phase == Phase::kFailed) {
    AddSign(
        facts,
        state.started ? sign::kFailedWhileRunning : sign::kFailedWithoutStatus,
        phase, "Failed");
  } else if (state.phase == Phase::kPending && IsStuckPending(of)) {
    AddSign(facts, sign::kStillStarting, phase, "Pending",
            StartingSince(of.pod));
  }
}

bool IsFreshOomKill(const Candidate& fact) {
  return fact.decides() && fact.row->key == key::kOomKilled &&
         fact.place.root == Root::kPods && fact.cause == v1::CONTAINER_OOM;
}

// Weighs facts against each other. A kill needs an explanation, and an own end
// does not. An announcement after the end did not cause it.
void WeighTogether(const Subject& of, const PodState& state,
                   Candidates& facts) {
  const auto& metadata = of.pod.metadata();
  const bool ran_until_clean_up =
      state.cleaned_up && state.started && state.end == End::kNone;
  Weigh(Round::kPod, std::span(facts),
        {.state = state,
         .runs = !state.recovered && (PodRuns(of.pod) || ran_until_clean_up),
         .starts = state.phase == Phase::kPending && !Known(state.marked) &&
                   WasPlaced(of.pod),
         .deletion_requested =
             IsDeleted(of.pod) ? DeletionRequested(of.pod) : kUnknownTime,
         .deletion_grace = metadata.deletion_grace_period_seconds(),
         .deletion_ends = ToSeconds(metadata.deletion_timestamp()),
         .now = of.context.now,
         .oom_killed = std::ranges::any_of(facts, IsFreshOomKill),
         .facts = std::span(facts)});
}

// Adds a sign if the lost node was spot capacity.
void ReadSpot(const Subject& of, Candidates& facts) {
  const Candidate* best = Strongest(facts);
  if (best == nullptr) return;
  const bool behind_taint = best->cause == v1::TAINT_EVICTED &&
                            std::ranges::any_of(facts, IsOfLostNode);
  const bool gone =
      behind_taint || best->cause == v1::NODE_SHUTDOWN ||
      (best->cause == v1::NODE_LOST && best->tier == Tier::kDecisive &&
       best->HasWeight(kDisruptionWeight));
  if (!gone) return;
  std::string_view label;
  Place place;
  if (!FindSpotSign(of.context, of.index, place, label)) return;
  const Candidate shutdown = *best;
  Candidate& sign =
      AddSign(facts, sign::kSpotNodeShutdown, place, label, shutdown.at);
  // For a taint, RefineConclusion weighs it.
  if (!behind_taint) Weigh(Round::kRead, sign, {.strongest = &shutdown});
}

}  // namespace

PodReading ReadPod(const Context& context, int index, Candidates& facts) {
  const Subject of = {context, index, context.report.pods(index)};
  // First: the pod's own object.
  PodState state = ReadState(of, facts);
  if (of.pod.status().conditions_size() > 0) {
    ReadPodConditions(context, index, state, facts);
  }
  if (context.report.has_ended_attempt()) {
    ReadAttempt(of, state, facts);
  } else {
    ReadReason(of, state, facts);
  }
  ReadDeletion(of, state, facts);
  if (state.phase == Phase::kFailed) ReadJobRules(context, index, facts);
  const Seconds mark = MarkOf(of.pod, state);
  if (Known(mark)) state = Marked(state, mark, facts);
  state.work_runs = state.work_runs || IsSubmitter(of);
  // Second: other objects.
  if (!context.report.nodes().empty()) {
    ReadNodeOf(context, index, state, facts);
  }
  if (!context.report.events().empty()) {
    ReadEventsOfPod(context, index, state, facts);
  }
  if (!context.report.usage().empty()) ReadUsage(of, state, facts);
  ReadDevices(of, state, facts);
  ReadOutcome(of, state, facts);
  // Third: which fact decides.
  WeighTogether(of, state, facts);
  ReadSpot(of, facts);
  PodReading reading = {.pod = index, .state = state};
  if (const Candidate* best = Strongest(facts)) reading.best = *best;
  return reading;
}

}  // namespace mulligan::demystify
