// What stands beside facts that are weighed, as values: rules see no report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// A node that does not answer for so long has lost its pods: as long as
// Kubernetes waits (tolerationSeconds of the default tolerations).
inline constexpr Seconds kNodePatience = 300;

// Whether an answer with this HTTP code says that something failed.
inline bool IsErrorCode(std::int32_t http_code) { return http_code >= 400; }

inline constexpr PodState kNoPod;

// What stands beside the facts that are weighed. Absent unless said.
struct Scene {
  // Round::kCode, kBeside and kQuota: the row of the text in its message.
  const Signature* message = nullptr;
  // Of a pod's own reason, beside one of its conditions.
  const Signature* reason = nullptr;
  // The container's last state tells how it ended.
  bool has_last_state = false;
  // A signature of the policy knows the text that the fact was read in.
  bool users_own = false;
  // The fact tells of a device.
  bool of_device = false;
  // The type of the condition that the fact was read from.
  std::string_view condition = {};
  // An API answered; its HTTP code, 0: none; no call was made to build.
  bool is_answer = false;
  std::int32_t http_code = 0;
  bool of_build = false;
  // The strongest fact so far.
  const Candidate* strongest = nullptr;

  // Round::kContainer: it decides how the pod ended, only helps the workload,
  // or comes before it; and its exit code.
  bool is_primary = false;
  bool is_helper = false;
  bool is_init = false;
  std::int32_t code = 0;

  // The pod: in kObjects that which failed.
  const PodState& state = kNoPod;
  // Round::kPod. All its containers run, or it is on a node and starts. In
  // kRead: a pod of the report runs, a warning in it is not understood.
  bool runs = false;
  bool warned = false;
  bool starts = false;
  // Its deletion: when it was asked for, how long it was given, when that ends.
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
  // The event's pod is gone, and another one took its place.
  bool has_successor = false;

  // Round::kObjects: the workload has failed for good, and since when; its
  // queue says how it stands; no pod could start.
  bool gave_up = false;
  Seconds failed_since = kUnknownTime;
  bool queue_says = false;
  bool kept_from_starting = false;
  // The object that decides how the work ends does not say that it succeeded;
  // the pod whose facts are weighed did.
  bool has_not_succeeded = false;
  bool part_succeeded = false;
  // That object says what is weighed, and no pod of its own is active.
  bool by_whole = false;
  // The facts are those of the objects.
  bool of_objects = false;

  // Round::kMembers. Others live; an object above says that the workload failed
  // (`fails`: so does a pod).
  bool others_live = false;
  bool workload_failed = false;
  // The deadline of the work passed, and is the cause.
  bool deadline_passed = false;

  // Round::kSure: every member that fails looks like an echo; a container is
  // in two states.
  bool rootless = false;
  bool in_two_states = false;
  // Round::kBehind and kOthers: the answer so far.
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  // Round::kSuccess: the object that says so also says that it failed; the pod
  // says what else went wrong.
  bool says_failure = false;
  bool pod_says_failure = false;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_SCENE_H_
