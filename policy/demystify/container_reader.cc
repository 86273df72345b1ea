#include "policy/demystify/container_reader.h"

#include "absl/container/inlined_vector.h"
#include "policy/demystify/tables.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// One container that has ended, or waits.
struct Ended {
  const core::ContainerStateTerminated* terminated = nullptr;
  int index = 0;
  bool init = false;
  bool helper = false;
  // Read from lastState.
  bool last = false;
  // Runs again by now.
  bool recovered = false;
  End end = End::kNone;
  std::int32_t code = 0;
};
using EndedList = absl::InlinedVector<Ended, 6>;

constexpr char kStatuses[] = ".status.containerStatuses";
constexpr char kInitStatuses[] = ".status.initContainerStatuses";

Place At(const Ended& ended, int pod, const char* now, const char* last) {
  return {Root::kPods, pod, ended.init ? kInitStatuses : kStatuses, ended.index,
          ended.last ? last : now};
}
Place CodeOf(const Ended& ended, int pod) {
  return At(ended, pod, ".state.terminated.exitCode",
            ".lastState.terminated.exitCode");
}
Place ReasonOf(const Ended& ended, int pod) {
  return At(ended, pod, ".state.terminated.reason",
            ".lastState.terminated.reason");
}
Place MessageOf(const Ended& ended, int pod) {
  return At(ended, pod, ".state.terminated.message",
            ".lastState.terminated.message");
}

// A sidecar is an init container that is always restarted.
bool IsSidecar(const core::Pod& pod, const std::string& name) {
  for (const core::Container& container : pod.spec().init_containers()) {
    if (container.name() == name) return container.restart_policy() == "Always";
  }
  return false;
}

// Injected after the pod was written, or known by name.
bool IsHelper(const core::Pod& pod, const std::string& name) {
  if (IsHelperContainer(name)) return true;
  if (name.empty() || pod.spec().containers().empty()) return false;
  for (const core::Container& container : pod.spec().containers()) {
    if (container.name() == name) return false;
  }
  return true;
}

// Exit codes, absent in cut-down reports, that Kubernetes always writes.
std::int32_t CodeIn(const core::ContainerStateTerminated& terminated) {
  if (terminated.exit_code() == 0 && terminated.signal() > 0) {
    return 128 + terminated.signal();
  }
  return terminated.exit_code();
}

bool IsWaitingForRestart(const core::ContainerStatus& status) {
  return status.state().waiting().reason() == "CrashLoopBackOff";
}

// The end that counts for this container; terminated is null when none does.
Ended EndOfContainer(const core::ContainerStatus& status) {
  Ended ended;
  const core::ContainerState& state = status.state();
  const auto& last = status.last_state();
  if (state.has_terminated()) {
    ended.terminated = &state.terminated();
  } else if (last.has_terminated() &&
             (IsWaitingForRestart(status) || state.has_running() ||
              !state.has_waiting() ||
              state.waiting().reason() == "RunContainerError")) {
    ended.terminated = &last.terminated();
    ended.last = true;
    ended.recovered = state.has_running();
  }
  if (ended.terminated == nullptr) return ended;
  ended.code = CodeIn(*ended.terminated);
  ended.end = EndOf(ended.code, ended.terminated->reason());
  return ended;
}

// A restart of all containers in place is not the end of anything.
bool IsInPlaceRestart(const Ended& ended) {
  return ended.terminated->reason() == "RestartingAllContainers";
}

// Exit codes that belong to the reason beside them.
bool CodeIsInvented(const std::string& reason) {
  return reason == "StartError" || reason == "ContainerCannotRun" ||
         reason == "ContainerStatusUnknown";
}

ExitContext ContextOf(const Context& context, const std::string& reason) {
  if (reason == "Unknown") return ExitContext::kRuntimeUnknown;
  return context.spark ? ExitContext::kSpark : ExitContext::kAny;
}

// Facts of one ended container.
class EndedReader {
 public:
  EndedReader(const Context& context, int pod, Candidates& facts)
      : context_(context), pod_(pod), facts_(facts) {}

  void Read(const Ended& ended) {
    const core::ContainerStateTerminated& terminated = *ended.terminated;
    at_ = ToSeconds(terminated.finished_at());
    const bool start_failed = CodeIsInvented(terminated.reason());
    const bool told = ReadTexts(ended, start_failed);
    ReadReason(ended, told && start_failed);
    if (ended.code == 0 || start_failed) return;
    const Signature& row =
        FindExitCode(ended.code, ContextOf(context_, terminated.reason()));
    Candidate candidate =
        MakeCandidate("exit-code", row, CodeOf(ended, pod_), {});
    candidate.number = ended.code;
    candidate.at = at_;
    Add(facts_, candidate);
  }

 private:
  // Returns whether a built-in text says more.
  bool ReadTexts(const Ended& ended, bool start_failed) {
    const std::string& message = ended.terminated->message();
    if (context_.signatures != nullptr) {
      context_.AddUserSignature(
          facts_, v1::Signature::TERMINATION_MESSAGE, message, ended.code,
          message.empty() ? CodeOf(ended, pod_) : MessageOf(ended, pod_), at_);
    }
    if (message.empty() || ended.end == End::kLost) return false;
    return AddText(facts_, start_failed ? StartTexts() : ApplicationTexts(),
                   message, MessageOf(ended, pod_), at_) != nullptr;
  }

  void ReadReason(const Ended& ended, bool text_says_more) {
    const std::string& reason = ended.terminated->reason();
    if (reason.empty() || reason == "Error" || reason == "Completed") return;
    const Signature* row = FindTerminatedReason(reason);
    if (row == nullptr) return;
    Candidate candidate =
        MakeCandidate("terminated", *row, ReasonOf(ended, pod_), reason);
    candidate.at = at_;
    if (text_says_more) candidate.tier = Tier::kConvention;
    Add(facts_, candidate);
  }

  const Context& context_;
  const int pod_;
  Candidates& facts_;
  Seconds at_ = kUnknownTime;
};

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
    const Ended& primary = Primary();
    Describe(primary);
    for (const Ended& ended : failures_) ReadFailure(ended, primary);
  }

 private:
  void ReadStatus(const core::ContainerStatus& status, int i, bool init) {
    const core::ContainerState& state = status.state();
    if (state.has_waiting()) ReadWaiting(status, i, init);
    Ended ended = EndOfContainer(status);
    ended.index = i;
    ended.init = init;
    if (state.has_running() || ended.terminated != nullptr) {
      state_.started = state_.started || !init;
    }
    if (ended.terminated == nullptr) return;
    ended.helper =
        init ? IsSidecar(pod_, status.name()) : IsHelper(pod_, status.name());
    // A sidecar never fails its pod, whatever becomes of it.
    if (init && ended.helper) return;
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
    const Place list = {Root::kPods, index_, init ? kInitStatuses : kStatuses,
                        i, ""};
    if (row == nullptr) return;
    Candidate candidate =
        MakeCandidate("waiting", *row, list, waiting.reason());
    candidate.place.leaf = ".state.waiting.reason";
    if (IsWaitingForRestart(status)) {
      if (status.last_state().has_terminated()) {
        Demote(candidate, "how the container fails is in its last state");
      }
      Add(facts_, candidate);
      return;
    }
    state_.blocked = true;
    Place message = list;
    message.leaf = ".state.waiting.message";
    const bool image = row->cause == v1::IMAGE_INVALID ||
                       row->cause == v1::IMAGE_PULL_TRANSIENT;
    const TextTable& texts = image ? ImageTexts() : StartTexts();
    if (AddText(facts_, texts, waiting.message(), message, kUnknownTime) !=
            nullptr &&
        candidate.confidence != v1::HIGH) {
      candidate.tier = Tier::kConvention;
    }
    Add(facts_, candidate);
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
    // Killed helpers of a workload that completed do not count.
    if (primary.helper && clean_mains_ > 0 && primary.end == End::kKilled) {
      state_.end = End::kClean;
      return;
    }
    state_.end = primary.end;
    state_.container = primary.index;
    state_.init = primary.init;
    state_.exit_code = primary.code;
    state_.recovered = primary.recovered;
    state_.finished_at = ToSeconds(primary.terminated->finished_at());
    state_.message = primary.terminated->message();
  }

  void ReadFailure(const Ended& ended, const Ended& primary) {
    const std::size_t before = facts_.size();
    EndedReader(context_, index_, facts_).Read(ended);
    if (&ended == &primary) {
      AddRole(ended, before);
    } else {
      DemoteEchoes(before, "another container of the pod decides");
    }
    if (state_.end == End::kClean && ended.helper) {
      DemoteEchoes(before, "killed helpers do not fail a workload");
    }
    if (ended.last && ended.end == End::kClean && !ended.recovered) {
      AddSign("completed-but-restarted", ReasonOf(ended, index_),
              ended.terminated->reason());
    }
  }

  // Init containers and helpers are not the workload: unless something more
  // specific is known, their role names the cause.
  void AddRole(const Ended& ended, std::size_t before) {
    if (ended.end != End::kOwn) return;
    if (ended.init) {
      DemoteConventions(before, ended);
      AddSign("init-failed", CodeOf(ended, index_), {}, ended.code);
    } else if (ended.helper && !context_.ray_application_failed) {
      AddSign("helper-failed", CodeOf(ended, index_), {}, ended.code);
    }
  }

  // For an init container exit 2 or 65 says less than that it is one; 126 and
  // 127 still say that something is missing.
  void DemoteConventions(std::size_t before, const Ended& ended) {
    if (ended.code >= 125 && ended.code <= 139) return;
    for (std::size_t i = before; i < facts_.size(); ++i) {
      if (facts_[i].tier == Tier::kConvention) facts_[i].tier = Tier::kGeneric;
    }
  }

  void DemoteEchoes(std::size_t before, const char* why) {
    for (std::size_t i = before; i < facts_.size(); ++i) {
      if (facts_[i].tier <= Tier::kConvention) Demote(facts_[i], why);
    }
  }

  void AddSign(std::string_view key, const Place& place, std::string_view value,
               std::int32_t number = 0) {
    Candidate candidate =
        MakeCandidate("sign", *FindSpecialSign(key), place, value);
    candidate.number = number;
    Add(facts_, candidate);
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

End EndOf(std::int32_t exit_code, std::string_view reason) {
  if (reason == "ContainerStatusUnknown" || reason == "Unknown") {
    return End::kLost;
  }
  if (exit_code == 0) {
    const bool failed = reason == "StartError" ||
                        reason == "ContainerCannotRun" ||
                        reason == "seccomp killed";
    return failed ? End::kOwn : End::kClean;
  }
  if (exit_code == -1) return End::kLost;
  switch (SignalOf(exit_code)) {
    case 1:
    case 2:
    case 9:
    case 15:
      return End::kKilled;
    default:
      return exit_code == -1073741510 ? End::kKilled : End::kOwn;
  }
}

void ReadContainers(const Context& context, int index, PodState& state,
                    Candidates& facts) {
  ContainersReader(context, index, state, facts).Read();
}

}  // namespace mulligan::demystify
