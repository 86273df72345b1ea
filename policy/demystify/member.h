// The pods of a report as members of the workload: when each lived and how it
// ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policy/demystify/causes.h"
#include "policy/demystify/context.h"
#include "policy/demystify/readers/pod_reader.h"

namespace mulligan::demystify {

struct Member {
  PodReading reading;
  // Its lifetime: from its creation, or the start of the container's last run
  // if that was restarted, to the end of the deciding container. Unknown where
  // the report has no times; an end is known only for members that failed or
  // succeeded.
  Seconds begin = kUnknownTime;
  Seconds end = kUnknownTime;
  // jobset.sigs.k8s.io/restart-attempt; -1: not of a JobSet.
  int restart = -1;
  // The place it takes in its Job, which holds one pod at a time: its
  // completion index, or the Job itself where that runs one pod. Empty: not
  // known.
  std::string slot;

  bool succeeded() const {
    return reading.failing() && reading.best.cause == v1::SUCCEEDED;
  }
  // It came to a bad end, or cannot start.
  bool failed() const { return reading.failing() && !succeeded(); }
  // It failed and is over, so that another pod may have taken its place.
  bool ended() const {
    return failed() && !reading.state.recovered &&
           (reading.state.end != End::kNone ||
            reading.state.phase == Phase::kFailed);
  }
};

// The label jobset.sigs.k8s.io/restart-attempt of a pod or Job; -1: none.
int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata);

// The highest of all pods and Jobs.
int NewestRestartAttempt(const v1::FailureReport& report);

GangClass ClassOf(const PodReading& member);

// Whether the member ended by itself, for a reason of its own.
bool FailedByItself(const PodReading& member);

// When trouble began for a member.
Seconds BeginOfTrouble(const PodReading& member);

// Reads every pod of the report, in its order. `facts` is left with those of
// the last.
std::vector<Member> ReadMembers(const Context& context, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
