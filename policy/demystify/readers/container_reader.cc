#include "policy/demystify/readers/container_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "absl/container/inlined_vector.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/helper_containers.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

using Ended = EndedContainer;
using EndedList = absl::InlinedVector<Ended, 6>;

// Returns whether `a` rather than `b` decides the pod's end: own ends come
// before kills, the workload before helpers, then the earlier end.
bool Decides(const Ended& a, const Ended& b) {
  const auto rank = [](const Ended& ended) {
    const int by_end = ended.end == End::kOwn     ? 0
                       : ended.end == End::kClean ? 4
                                                  : 2;
    return by_end + (ended.recovered ? 8 : 0) + (ended.helper ? 1 : 0);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return Before(ToSeconds(a.terminated->finished_at()),
                ToSeconds(b.terminated->finished_at()));
}

bool IsFailure(const Ended& ended) {
  return ended.terminated != nullptr &&
         (ended.end != End::kClean ||
          ended.terminated->reason() == "OOMKilled" ||
          (ended.last && !ended.recovered)) &&
         !IsInPlaceRestart(*ended.terminated);
}

// Argo's launcher exits with this code if its own preparation failed.
constexpr std::int32_t kArgoSentinel = 65;

// Returns whether the helper's failure is the root: it ended by itself before
// the workload did, or the workload never began by its exit code.
bool HelperIsRoot(const Ended& helper, const Ended& main) {
  if (helper.end != End::kOwn) return false;
  if (main.code == kArgoSentinel) return true;
  return main.end != End::kOwn &&
         Before(ToSeconds(helper.terminated->finished_at()),
                ToSeconds(main.terminated->finished_at()));
}

// Seconds within which a program ends once it misses its sidecar.
constexpr Seconds kMissedWithin = 60;

bool EndedShortlyBefore(const Ended& sidecar, const Ended& work) {
  if (sidecar.terminated == nullptr) return false;
  const Seconds at = ToSeconds(sidecar.terminated->finished_at());
  const Seconds end = ToSeconds(work.terminated->finished_at());
  return Before(at, end) && !Before(at + kMissedWithin, end);
}

// Returns the state of a pod's container.
Ended EndIn(const Context& context, const core::Pod& pod,
            const core::ContainerStatus& status, int i, bool init,
            bool cleaned_up) {
  Ended ended = cleaned_up ? EndBefore(status, DeletionRequested(pod),
                                       CleanUpBegan(context.owners, pod))
                           : EndOfContainer(status);
  ended.index = i;
  ended.init = init;
  ended.helper =
      ended.terminated != nullptr && !init && IsHelper(pod, status.name());
  return ended;
}

// What a container waits for.
struct WaitingFor {
  // Its next restart, while its last end is not reported.
  bool looping = false;
  // Something else.
  bool blocked = false;
};

// REQUIRES: `list` is the place of `status`, without leaf.
WaitingFor ReadWaiting(const Context& context,
                       const core::ContainerStatus& status, const Place& list,
                       Candidates& facts) {
  const core::ContainerStateWaiting& waiting = status.state().waiting();
  const Signature* row = FindWaitingReason(waiting.reason());
  if (row == nullptr) return {};
  Candidate reason = MakeCandidate("waiting", *row, list, waiting.reason());
  reason.place.leaf = ".state.waiting.reason";
  if (IsWaitingForRestart(status)) {
    const bool has_last_state = status.last_state().has_terminated();
    Weigh(Round::kSameObject, reason, {.has_last_state = has_last_state});
    facts.push_back(reason);
    return {.looping = !has_last_state};
  }
  Place message = list;
  message.leaf = ".state.waiting.message";
  const bool image =
      row->cause == v1::IMAGE_INVALID || row->cause == v1::IMAGE_PULL_TRANSIENT;
  const Signature* users = context.AddUserSignature(
      facts, v1::Signature::WAITING_MESSAGE, waiting.message(), std::nullopt,
      message, kUnknownTime);
  const Signature* built_in =
      AddText(facts, image ? ImageTexts() : StartTexts(), waiting.message(),
              message, kUnknownTime);
  Weigh(Round::kSameObject, reason,
        {.message = users != nullptr ? users : built_in});
  facts.push_back(reason);
  return {.blocked = true};
}

// Adds sidecars that may be the reason because they ended shortly before the
// work failed. All are stopped afterwards, so an earlier end may count.
void AddSidecars(const core::Pod& pod, Ended work, EndedList& failures) {
  if (work.init) return;
  const auto& statuses = pod.status().init_container_statuses();
  for (int i = 0; i < statuses.size(); ++i) {
    if (!IsSidecar(pod, statuses[i].name())) continue;
    for (Ended ended : {EndOfContainer(statuses[i]), LastEnd(statuses[i])}) {
      if (!EndedShortlyBefore(ended, work) || !IsFailure(ended)) continue;
      ended.index = i;
      ended.init = ended.helper = true;
      failures.push_back(ended);
      break;
    }
  }
}

// REQUIRES: `failures` is not empty.
const Ended& PrimaryOf(const EndedList& failures) {
  const Ended& primary = *std::ranges::min_element(failures, Decides);
  const auto root = std::ranges::find_if(failures, [&](const Ended& ended) {
    return ended.helper && !primary.helper && HelperIsRoot(ended, primary);
  });
  return root == failures.end() ? primary : *root;
}

// Returns the pod's state by the end of `primary`. `work_done`: a main
// container succeeded.
PodState EndedBy(const core::Pod& pod, const Ended& primary, bool work_done,
                 PodState state) {
  // Helpers of completed work do not count.
  if (primary.helper && work_done &&
      !SavesOutputs(StatusOf(pod, primary).name())) {
    state.end = End::kClean;
    return state;
  }
  const bool at_work = IsAtWork(pod) && !state.cleaned_up;
  // The first containers to end in a pod that is being stopped.
  if (at_work && IsBeingStopped(pod)) return state;
  state.work_runs = !primary.recovered && at_work;
  state.end = primary.end;
  state.container = primary.index;
  state.init = primary.init;
  // The code of a lost container is invented.
  if (primary.end != End::kLost) state.exit_code = primary.code;
  state.recovered = primary.recovered;
  state.restarting = RestartsInPlace(pod, primary);
  state.finished_at = ToSeconds(primary.terminated->finished_at());
  state.message = primary.terminated->message();
  return state;
}

// Adds the role of an init container or helper, the least specific cause.
void AddRole(const Context& context, int index, const Ended& ended,
             Candidates& facts) {
  if (ended.end != End::kOwn || (!ended.helper && !ended.init)) return;
  if (ended.helper && context.program_failed) return;
  AddSign(facts, ended.helper ? sign::kHelperFailed : sign::kInitFailed,
          ExitCodePlace(ended, index), {})
      .number = ended.code;
}

void ReadFailure(const Context& context, int index, const Ended& ended,
                 bool is_primary, const PodState& state, Candidates& facts) {
  const std::size_t before = facts.size();
  ReadEndedContainer(context, index, ended, facts);
  if (is_primary) AddRole(context, index, ended, facts);
  Weigh(Round::kContainer, std::span(facts).subspan(before),
        {.is_primary = is_primary,
         .is_helper = ended.helper,
         .is_init = ended.init,
         .code = ended.code,
         .state = state});
  if (ended.last && ended.end == End::kClean && !ended.recovered) {
    AddSign(facts, sign::kCompletedButRestarted, ReasonPlace(ended, index),
            ended.terminated->reason());
  }
}

// The states of all containers.
struct Containers {
  PodState state;
  EndedList failures;
  // A main container succeeded.
  bool work_done = false;
};

void CountEnd(const Ended& ended, Containers& all) {
  if (IsFailure(ended)) all.failures.push_back(ended);
  if (ended.last || ended.init || ended.helper || ended.end != End::kClean) {
    return;
  }
  all.work_done = true;
  all.state.container = ended.index;
  all.state.exit_code = 0;
  all.state.finished_at = Earlier(ToSeconds(ended.terminated->finished_at()),
                                  all.state.finished_at);
  all.state.message = ended.terminated->message();
}

Containers ReadStatuses(const Context& context, int index,
                        const PodState& state, Candidates& facts) {
  const core::Pod& pod = context.report.pods(index);
  Containers all = {.state = state};
  for (const bool init : {true, false}) {
    const auto& statuses = init ? pod.status().init_container_statuses()
                                : pod.status().container_statuses();
    for (int i = 0; i < statuses.size(); ++i) {
      const core::ContainerStatus& status = statuses[i];
      if (status.state().has_waiting()) {
        const WaitingFor waits = ReadWaiting(
            context, status,
            {Root::kPods, index,
             init ? kInitContainerStatuses : kContainerStatuses, i, ""},
            facts);
        all.state.looping = all.state.looping || waits.looping;
        all.state.blocked = all.state.blocked || waits.blocked;
      }
      const Ended ended =
          EndIn(context, pod, status, i, init, state.cleaned_up);
      const bool has_ended = ended.terminated != nullptr;
      all.state.started =
          all.state.started ||
          (!init && (has_ended || status.state().has_running() ||
                     status.state().has_terminated()));
      // A sidecar never fails its pod.
      if (has_ended && !(init && IsSidecar(pod, status.name()))) {
        CountEnd(ended, all);
      }
    }
  }
  return all;
}

}  // namespace

PodState ReadContainers(const Context& context, int index,
                        const PodState& before, Candidates& facts) {
  const core::Pod& pod = context.report.pods(index);
  // First: what the containers wait for, and which have ended.
  Containers all = ReadStatuses(context, index, before, facts);
  if (all.failures.empty()) {
    if (all.work_done) all.state.end = End::kClean;
    return all.state;
  }
  // Second: which end decides.
  AddSidecars(pod, PrimaryOf(all.failures), all.failures);
  const Ended& primary = PrimaryOf(all.failures);
  const PodState state = EndedBy(pod, primary, all.work_done, all.state);
  // Third: the facts of each end.
  for (const Ended& ended : all.failures) {
    ReadFailure(context, index, ended, &ended == &primary, state, facts);
  }
  return state;
}

}  // namespace mulligan::demystify
