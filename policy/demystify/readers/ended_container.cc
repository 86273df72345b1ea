#include "policy/demystify/readers/ended_container.h"

#include <algorithm>
#include <optional>

#include "policy/base/labels.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/helper_containers.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

Place MessagePlace(const EndedContainer& ended, int pod) {
  return StatusPlace(ended, pod, ".state.terminated.message",
                     ".lastState.terminated.message");
}

// Returns the exit code, from the signal if a report was cut down.
std::int32_t CodeIn(const core::ContainerStateTerminated& terminated) {
  constexpr std::int32_t kHighestSignal = 64;
  if (terminated.exit_code() == 0 && terminated.signal() > 0 &&
      terminated.signal() <= kHighestSignal) {
    return 128 + terminated.signal();
  }
  return terminated.exit_code();
}

// Returns whether the reason implies the exit code.
bool CodeIsInvented(std::string_view reason) {
  return reason == "StartError" || reason == "ContainerCannotRun" ||
         reason == "ContainerStatusUnknown";
}

ExitContext ContextOf(const Context& context, std::string_view reason) {
  if (reason == "Unknown") return ExitContext::kRuntimeUnknown;
  return context.spark ? ExitContext::kSpark : ExitContext::kAny;
}

// Adds facts from the termination message. Returns its built-in row, or null.
const Signature* ReadTexts(const Context& context, int pod,
                           const EndedContainer& ended, Candidates& facts) {
  const std::string& message = ended.terminated->message();
  const Seconds at = ToSeconds(ended.terminated->finished_at());
  const Place place = MessagePlace(ended, pod);
  if (context.signatures != nullptr) {
    context.AddUserSignature(
        facts, v1::Signature::TERMINATION_MESSAGE, message, ended.code,
        message.empty() ? ExitCodePlace(ended, pod) : place, at);
  }
  if (message.empty() || ended.end == End::kLost) return nullptr;
  return CodeIsInvented(ended.terminated->reason())
             ? AddText(facts, StartTexts(), message, place, at)
             : context.log.Add(facts, message, place, at,
                               ended.end == End::kKilled);
}

// `text` is the row of the message, against which the reason is weighed.
void ReadReason(int pod, const EndedContainer& ended, const Signature* text,
                Candidates& facts) {
  const std::string& reason = ended.terminated->reason();
  if (reason.empty() || reason == "Error" || reason == "Completed") return;
  const Signature* row = FindTerminatedReason(reason);
  if (row == nullptr) return;
  Candidate& fact = AddFact(facts, "terminated", *row, ReasonPlace(ended, pod),
                            reason, ToSeconds(ended.terminated->finished_at()));
  Weigh(Round::kSameObject, fact, {.message = text});
}

// Returns the container marked as the main one; empty if none is.
std::string_view MainOf(const core::Pod& pod) {
  const std::string_view named = LabelOf(
      pod.metadata().annotations(), "kubectl.kubernetes.io/default-container");
  if (!named.empty()) return named;
  const auto& containers = pod.spec().containers();
  const bool has_main =
      std::ranges::any_of(containers, [](const core::Container& container) {
        return container.name() == "main";
      });
  return has_main ? "main" : "";
}

}  // namespace

Place StatusPlace(const EndedContainer& ended, int pod, const char* now,
                  const char* last) {
  return {Root::kPods, pod,
          ended.init ? kInitContainerStatuses : kContainerStatuses, ended.index,
          ended.last ? last : now};
}
Place ExitCodePlace(const EndedContainer& ended, int pod) {
  return StatusPlace(ended, pod, ".state.terminated.exitCode",
                     ".lastState.terminated.exitCode");
}
Place ReasonPlace(const EndedContainer& ended, int pod) {
  return StatusPlace(ended, pod, ".state.terminated.reason",
                     ".lastState.terminated.reason");
}

bool IsSidecar(const core::Pod& pod, const std::string& name) {
  for (const core::Container& container : pod.spec().init_containers()) {
    if (container.name() == name) return container.restart_policy() == "Always";
  }
  return false;
}

bool IsHelper(const core::Pod& pod, const std::string& name) {
  const auto& containers = pod.spec().containers();
  const bool written = std::ranges::any_of(
      containers, [&name](const core::Container& container) {
        return container.name() == name;
      });
  // KubeRay's submitter is a sidecar in one mode, and follows the work in a pod
  // of its own in another.
  if (written && containers.size() == 1) return false;
  if (IsHelperContainer(name)) return true;
  if (name.empty() || containers.empty()) return false;
  if (!written) return true;
  const std::string_view main = MainOf(pod);
  return main.empty() ? SoundsLikeHelper(name) : name != main;
}

const core::ContainerStatus& StatusOf(const core::Pod& pod,
                                      const EndedContainer& ended) {
  const core::PodStatus& status = pod.status();
  return ended.init ? status.init_container_statuses(ended.index)
                    : status.container_statuses(ended.index);
}

bool IsInPlaceRestart(const core::ContainerStateTerminated& terminated) {
  return terminated.reason() == "RestartingAllContainers";
}

bool IsWaitingForRestart(const core::ContainerStatus& status) {
  return status.state().waiting().reason() == "CrashLoopBackOff";
}

// Returns whether the container's first rule for the exit code restarts it;
// empty if none applies (kubelet 1.34 and 1.35, where every action restarts).
std::optional<bool> RestartsByRule(const core::Container& container,
                                   std::int32_t exit_code) {
  for (const core::ContainerRestartRule& rule :
       container.restart_policy_rules()) {
    const auto& codes = rule.exit_codes().values();
    const bool listed = std::ranges::find(codes, exit_code) != codes.end();
    if (listed == (rule.exit_codes().operator_() != "NotIn")) {
      return rule.action().starts_with("Restart");
    }
  }
  return std::nullopt;
}

bool RestartsInPlace(const core::Pod& pod, const EndedContainer& ended) {
  const core::PodStatus& status = pod.status();
  if (status.phase() == "Failed" || status.phase() == "Succeeded" ||
      IsBeingStopped(pod)) {
    return false;
  }
  const core::ContainerStatus& container = StatusOf(pod, ended);
  if (container.state().has_running()) return false;
  if (IsWaitingForRestart(container)) return true;
  if (!container.state().has_terminated()) return false;
  std::string_view policy = pod.spec().restart_policy();
  const auto& containers =
      ended.init ? pod.spec().init_containers() : pod.spec().containers();
  for (const core::Container& spec : containers) {
    if (spec.name() != container.name()) continue;
    if (const auto rule = RestartsByRule(spec, ended.code)) return *rule;
    if (!spec.restart_policy().empty()) policy = spec.restart_policy();
  }
  const bool well = ended.end == End::kClean;
  return (policy == "Always" && !(ended.init && well)) ||
         (policy == "OnFailure" && !well);
}

EndedContainer EndOfContainer(const core::ContainerStatus& status) {
  EndedContainer ended;
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

bool EndsByStopping(const core::ContainerStatus& status, Seconds since) {
  if (!status.last_state().has_terminated()) return false;
  if (status.state().has_running()) return true;
  const auto& ended = status.state().terminated();
  return status.state().has_terminated() &&
         (EndOf(CodeIn(ended), ended.reason()) == End::kKilled ||
          ended.finished_at().seconds() > since);
}

EndedContainer LastEnd(const core::ContainerStatus& status) {
  EndedContainer ended;
  if (!status.last_state().has_terminated()) return ended;
  ended.terminated = &status.last_state().terminated();
  ended.last = true;
  ended.code = CodeIn(*ended.terminated);
  ended.end = EndOf(ended.code, ended.terminated->reason());
  return ended;
}

EndedContainer EndBefore(const core::ContainerStatus& status, Seconds requested,
                         Seconds killed_since) {
  if (EndsByStopping(status, killed_since)) return LastEnd(status);
  const EndedContainer ended = EndOfContainer(status);
  if (ended.terminated == nullptr || ended.last) return ended;
  const Seconds at = ended.terminated->finished_at().seconds();
  const bool killed =
      ended.end == End::kKilled && ended.terminated->reason() != "OOMKilled";
  const bool by_it = at >= (killed ? killed_since : requested);
  return by_it ? EndedContainer() : ended;
}

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

bool RanLong(const core::ContainerStatus& status, Seconds min) {
  const auto& run = status.state().has_terminated()
                        ? status.state().terminated()
                        : status.last_state().terminated();
  const Seconds begin = ToSeconds(run.started_at());
  const Seconds end = ToSeconds(run.finished_at());
  return Known(begin) && Known(end) && begin + min < end;
}

void ReadExitCode(const Context& context, const EndByCode& end,
                  const Place& place, Candidates& facts) {
  if (end.code == 0 || CodeIsInvented(end.reason)) return;
  const Signature& row = FindExitCode(end.code, ContextOf(context, end.reason));
  Candidate& code = AddFact(facts, "exit-code", row, place, {}, end.at);
  code.number = end.code;
  Weigh(Round::kCode, code, {.message = end.message});
}

void ReadEndedContainer(const Context& context, int pod,
                        const EndedContainer& ended, Candidates& facts) {
  const std::string& reason = ended.terminated->reason();
  const Signature* text = ReadTexts(context, pod, ended, facts);
  ReadReason(pod, ended, CodeIsInvented(reason) ? text : nullptr, facts);
  ReadExitCode(
      context,
      {ended.code, reason, text, ToSeconds(ended.terminated->finished_at())},
      ExitCodePlace(ended, pod), facts);
}

}  // namespace mulligan::demystify
