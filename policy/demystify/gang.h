// The root of an incident of several pods, its victims, and the straggler.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_GANG_H_
#define MULLIGAN_POLICY_DEMYSTIFY_GANG_H_

#include <string>
#include <vector>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/pod_reader.h"

namespace mulligan::demystify {

struct Gang {
  // Index into report.pods; -1 if no pod fails.
  int root = -1;
  // The member where it began, if another reports it: a launcher names the rank
  // that died, watchdogs the member that they waited for. -1 if it is the root.
  int named = -1;
  // Why that member or no member stands out, as text; may be empty.
  std::string stands_out;
  // No member is known as the culprit: all waited for each other, all look like
  // echoes, or several ended alike without a reason.
  bool no_culprit = false;
  PodState state;
  // Members that died because of the root, in report order. Not owned.
  std::vector<const PodReading*> cascades;
  // Number of pods that run, wait without trouble or succeeded.
  int healthy = 0;
  int succeeded = 0;
  // Number of healthy pods whose containers all run.
  int running = 0;
  int first_succeeded = -1;
  // The first pod of phase Failed whose containers succeeded; -1 if none.
  int succeeded_as_failed = -1;
  // Every failing member looks like an echo, so the root is not in the report.
  bool rootless = false;

  // Returns the member whose facts explain the answer; -1 if none.
  int subject() const { return root >= 0 ? root : first_succeeded; }
};

// Finds the root among the members of an attempt, in this order:
//
//   1. By class: hardware, disruption, memory, the member's own error,
//      unexplained kills, echoes of a peer's death.
//   2. By time; differences up to kClockSkew do not count.
//   3. By how conclusive the evidence is. Members with equal evidence are
//      ordered by their exact times.
//
// A member that failed by itself before another's disruption was announced
// precedes it. A member with only an exit code is not the root if a node was
// lost within six minutes. Nor is it if a peer was killed (SIGKILL) before it
// or, within the peer's grace period and kClockSkew, after it.
Gang ReadGang(const Attempt& attempt);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_GANG_H_
