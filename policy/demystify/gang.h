// Several pods: which one is the root of the incident, whom it took along, and
// which one lags behind.
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
  // Index into report.pods; -1: no pod fails.
  int root = -1;
  // The member it began with, where that is not the one whose words tell of
  // it: a launcher tells which rank died, watchdogs whom they waited for.
  // -1: the root itself.
  int named = -1;
  // How that one stands out, or that nobody does; for people. Empty: nothing to
  // say.
  std::string stands_out;
  // None of them is known to be the culprit: all waited for each other, all
  // look like echoes, or several that say nothing ended alike.
  bool nobody = false;
  PodState state;
  // Members that died because of the root, in the order of the report. They
  // belong to the members that were read.
  std::vector<const PodReading*> cascades;
  // Some pod runs, waits without trouble or succeeded.
  int healthy = 0;
  int succeeded = 0;
  // Some of the healthy ones run, with every container.
  int running = 0;
  int first_succeeded = -1;
  // The first whose containers ended well although its phase is Failed.
  int succeeded_as_failed = -1;
  // Every failing member looks like an echo: the root is not in the report.
  bool rootless = false;

  // Whose facts explain the answer; -1: no pod's.
  int subject() const { return root >= 0 ? root : first_succeeded; }
};

// Finds the root among the members of an attempt: by class (hardware,
// disruption, memory, the member's own error, unexplained kills, echoes of a
// peer's death), then by time, where differences up to kClockSkew are none,
// then by how much the evidence settles; members that say no more than their
// exit code, by their times as they are. A member that failed by itself before
// a disruption of another one was announced comes before it; one that says
// nothing but its exit code is no root when a node was lost within six minutes,
// or a peer was killed (SIGKILL) before it or within kClockSkew after it, if
// its grace period is longer.
Gang ReadGang(const Attempt& attempt);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_GANG_H_
