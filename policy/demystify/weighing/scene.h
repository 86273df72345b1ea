// The context of weighed facts. Rules see these values and not the report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Seconds after which an unresponsive node has lost its pods: tolerationSeconds
// of Kubernetes' default tolerations.
inline constexpr Seconds kNodePatience = 300;

// Returns whether an answer with this HTTP code is an error.
inline bool IsErrorCode(std::int32_t http_code) { return http_code >= 400; }

inline constexpr PodState kNoPod;

// The context of facts that are weighed. Defaults mean absent.
struct Scene {
  // Round::kCode, kSameObject and kQuota: the row of the fact's message.
  const Signature* message = nullptr;
  // For a condition of a pod: the row of the pod's own reason.
  const Signature* reason = nullptr;
  // The container's last state shows how it ended.
  bool has_last_state = false;
  // A signature of the policy matched the fact's text.
  bool users_own = false;
  // The fact is about a device.
  bool of_device = false;
  // The type of the condition that the fact was read from.
  std::string_view condition = {};
  // An API answered; its HTTP code or 0; the build failed before a call.
  bool is_answer = false;
  std::int32_t http_code = 0;
  bool of_build = false;
  // The strongest fact so far.
  const Candidate* strongest = nullptr;

  // Round::kContainer: the container decides the pod's end, only helps the
  // workload, or runs before it; its exit code.
  bool is_primary = false;
  bool is_helper = false;
  bool is_init = false;
  std::int32_t code = 0;

  // The state of the pod; in kObjects, of the failed one.
  const PodState& state = kNoPod;
  // Round::kPod: all its containers run, or it is on a node and starting.
  // kRead: a pod of the report runs, or has a warning of unknown meaning.
  bool runs = false;
  bool warned = false;
  bool starts = false;
  // Its deletion: when it was requested, its grace period, and the end of that.
  Seconds deletion_requested = kUnknownTime;
  Seconds deletion_grace = 0;
  Seconds deletion_ends = kUnknownTime;
  Seconds now = kUnknownTime;
  // A container was killed at its memory limit.
  bool oom_killed = false;
  // All facts of the pod.
  std::span<const Candidate> facts = {};

  // Round::kEvents: a pod of the report fails; the work goes on, has active
  // pods, or has run.
  bool fails = false;
  bool work_goes_on = false;
  bool has_active = false;
  bool has_run = false;
  // The event's pod is gone, and another one replaced it.
  bool has_successor = false;

  // Round::kObjects: the workload has failed for good, and since when; its
  // queue says why it is held; no pod could start.
  bool gave_up = false;
  Seconds failed_since = kUnknownTime;
  bool queue_says = false;
  bool kept_from_starting = false;
  // The object that decides how the work ends has not succeeded, but the pod
  // whose facts are weighed has.
  bool has_not_succeeded = false;
  bool part_succeeded = false;
  // That object states the fact, and no pod of its own is active.
  bool by_whole = false;
  // The facts are those of the objects.
  bool of_objects = false;

  // Round::kMembers: other members live; an object above says that the workload
  // failed (`fails`: a pod failed too).
  bool others_live = false;
  bool workload_failed = false;
  // The work failed because its deadline passed.
  bool deadline_passed = false;

  // Round::kSure: all failing members look like echoes; two states at once.
  bool rootless = false;
  bool in_two_states = false;
  // Round::kReplace and kOthers: the answer so far.
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  // Round::kSuccess: the object that reports success also reports failure; the
  // pod shows other trouble.
  bool says_failure = false;
  bool pod_says_failure = false;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_
