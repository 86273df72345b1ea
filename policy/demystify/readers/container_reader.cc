#include "policy/demystify/readers/container_reader.h"

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

// A restart of all containers in place is not the end of anything.
bool IsInPlaceRestart(const Ended& ended) {
  return ended.terminated->reason() == "RestartingAllContainers";
}

// Whether `a` rather than `b` decides how the pod ended: own ends before
// kills, workload before helpers, then the earlier one.
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
         !IsInPlaceRestart(ended);
}

// Argo's launcher exits with this code when its own preparation failed.
constexpr std::int32_t kArgoSentinel = 65;

// A helper's failure is the root when it ended by itself before the workload,
// or when the workload says that it never began.
bool HelperIsRoot(const Ended& helper, const Ended& main) {
  if (helper.end != End::kOwn) return false;
  if (main.code == kArgoSentinel) return true;
  return main.end != End::kOwn &&
         Before(ToSeconds(helper.terminated->finished_at()),
                ToSeconds(main.terminated->finished_at()));
}

// A program that misses what its sidecar did for it ends within so long.
constexpr Seconds kMissedWithin = 60;

bool EndedShortlyBefore(const Ended& sidecar, const Ended& work) {
  if (sidecar.terminated == nullptr) return false;
  const Seconds at = ToSeconds(sidecar.terminated->finished_at());
  const Seconds end = ToSeconds(work.terminated->finished_at());
  return Before(at, end) && !Before(at + kMissedWithin, end);
}

class ContainersReader {
 public:
  ContainersReader(const Context& context, int index, PodState& state,
                   Candidates& facts)
      : context_(context),
        index_(index),
        pod_(context.report.pods(index)),
        state_(state),
        facts_(facts) {}

  void Read() {
    const core::PodStatus& status = pod_.status();
    for (int i = 0; i < status.init_container_statuses_size(); ++i) {
      ReadStatus(status.init_container_statuses(i), i, true);
    }
    for (int i = 0; i < status.container_statuses_size(); ++i) {
      ReadStatus(status.container_statuses(i), i, false);
    }
    if (failures_.empty()) {
      if (clean_mains_ > 0) state_.end = End::kClean;
      return;
    }
    ReadSidecars();
    const Ended& primary = Primary();
    Describe(primary);
    for (const Ended& ended : failures_) ReadFailure(ended, primary);
  }

 private:
  void ReadStatus(const core::ContainerStatus& status, int i, bool init) {
    const core::ContainerState& state = status.state();
    if (state.has_waiting()) ReadWaiting(status, i, init);
    Ended ended = state_.cleaned_up ? EndBefore(status, DeletionRequested(pod_))
                                    : EndOfContainer(status);
    ended.index = i;
    ended.init = init;
    if (state.has_running() || state.has_terminated() ||
        ended.terminated != nullptr) {
      state_.started = state_.started || !init;
    }
    if (ended.terminated == nullptr) return;
    // A sidecar never fails its pod, whatever becomes of it.
    if (init && IsSidecar(pod_, status.name())) return;
    ended.helper = !init && IsHelper(pod_, status.name());
    if (!ended.last && ended.end == End::kClean && !init && !ended.helper) {
      ++clean_mains_;
      Remember(ended);
    }
    if (IsFailure(ended)) failures_.push_back(ended);
  }

  void Remember(const Ended& ended) {
    state_.container = ended.index;
    state_.exit_code = 0;
    state_.finished_at =
        Earlier(ToSeconds(ended.terminated->finished_at()), state_.finished_at);
    state_.message = ended.terminated->message();
  }

  void ReadWaiting(const core::ContainerStatus& status, int i, bool init) {
    const core::ContainerStateWaiting& waiting = status.state().waiting();
    const Signature* row = FindWaitingReason(waiting.reason());
    const Place list = {Root::kPods, index_,
                        init ? kInitContainerStatuses : kContainerStatuses, i,
                        ""};
    if (row == nullptr) return;
    Candidate candidate =
        MakeCandidate("waiting", *row, list, waiting.reason());
    candidate.place.leaf = ".state.waiting.reason";
    if (IsWaitingForRestart(status)) {
      const bool has_last_state = status.last_state().has_terminated();
      state_.looping = state_.looping || !has_last_state;
      Weigh(Round::kBeside, candidate, {.has_last_state = has_last_state});
      facts_.push_back(candidate);
      return;
    }
    state_.blocked = true;
    Place message = list;
    message.leaf = ".state.waiting.message";
    const bool image = row->cause == v1::IMAGE_INVALID ||
                       row->cause == v1::IMAGE_PULL_TRANSIENT;
    const TextTable& texts = image ? ImageTexts() : StartTexts();
    const Signature* users = context_.AddUserSignature(
        facts_, v1::Signature::WAITING_MESSAGE, waiting.message(), std::nullopt,
        message, kUnknownTime);
    const Signature* said =
        AddText(facts_, texts, waiting.message(), message, kUnknownTime);
    Weigh(Round::kBeside, candidate,
          {.message = users != nullptr ? users : said});
    facts_.push_back(candidate);
  }

  // What became of a sidecar counts like that of a container beside the work
  // that failed, where it may be why that did: it ended shortly before. All are
  // stopped afterwards, so that its end may be the one before the last.
  void ReadSidecars() {
    const Ended work = Primary();
    if (work.init) return;
    const core::PodStatus& status = pod_.status();
    for (int i = 0; i < status.init_container_statuses_size(); ++i) {
      const core::ContainerStatus& sidecar = status.init_container_statuses(i);
      if (!IsSidecar(pod_, sidecar.name())) continue;
      for (Ended ended : {EndOfContainer(sidecar), LastEnd(sidecar)}) {
        if (!EndedShortlyBefore(ended, work) || !IsFailure(ended)) continue;
        ended.index = i;
        ended.init = ended.helper = true;
        failures_.push_back(ended);
        break;
      }
    }
  }

  const Ended& Primary() const {
    const Ended* primary = failures_.data();
    for (const Ended& ended : failures_) {
      if (Decides(ended, *primary)) primary = &ended;
    }
    for (const Ended& ended : failures_) {
      if (ended.helper && !primary->helper && HelperIsRoot(ended, *primary)) {
        return ended;
      }
    }
    return *primary;
  }

  void Describe(const Ended& primary) {
    // Helpers of work that has completed do not count.
    if (primary.helper && clean_mains_ > 0 && !SavesOutputs(NameOf(primary))) {
      state_.end = End::kClean;
      return;
    }
    const bool at_work = IsAtWork(pod_) && !state_.cleaned_up;
    // The first containers to end of a pod that is being stopped.
    if (at_work && IsBeingStopped(pod_)) return;
    state_.beside = !primary.recovered && at_work;
    state_.end = primary.end;
    state_.container = primary.index;
    state_.init = primary.init;
    // The code of a lost container is invented.
    if (primary.end != End::kLost) state_.exit_code = primary.code;
    state_.recovered = primary.recovered;
    state_.restarting = RestartsInPlace(pod_, primary);
    state_.finished_at = ToSeconds(primary.terminated->finished_at());
    state_.message = primary.terminated->message();
  }

  const std::string& NameOf(const Ended& ended) const {
    const core::PodStatus& status = pod_.status();
    return ended.init ? status.init_container_statuses(ended.index).name()
                      : status.container_statuses(ended.index).name();
  }

  void ReadFailure(const Ended& ended, const Ended& primary) {
    const std::size_t before = facts_.size();
    ReadEndedContainer(context_, index_, ended, facts_);
    if (&ended == &primary) AddRole(ended);
    Weigh(Round::kContainer, std::span(facts_).subspan(before),
          {.is_primary = &ended == &primary,
           .is_helper = ended.helper,
           .is_init = ended.init,
           .code = ended.code,
           .state = state_});
    if (ended.last && ended.end == End::kClean && !ended.recovered) {
      AddSign(facts_, sign::kCompletedButRestarted, ReasonPlace(ended, index_),
              ended.terminated->reason());
    }
  }

  // Init containers and helpers are not the workload: unless something more
  // specific is known, their role names the cause.
  void AddRole(const Ended& ended) {
    if (ended.end != End::kOwn) return;
    if (ended.helper) {
      if (context_.program_failed) return;
      AddSign(facts_, sign::kHelperFailed, ExitCodePlace(ended, index_), {})
          .number = ended.code;
    } else if (ended.init) {
      AddSign(facts_, sign::kInitFailed, ExitCodePlace(ended, index_), {})
          .number = ended.code;
    }
  }

  const Context& context_;
  const int index_;
  const core::Pod& pod_;
  PodState& state_;
  Candidates& facts_;
  EndedList failures_;
  int clean_mains_ = 0;
};

}  // namespace

void ReadContainers(const Context& context, int index, PodState& state,
                    Candidates& facts) {
  ContainersReader(context, index, state, facts).Read();
}

}  // namespace mulligan::demystify
