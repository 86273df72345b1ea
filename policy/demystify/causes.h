// THE table of causes, causes.yaml: one row a cause, everything that is known
// about a cause as such. What reports say about causes is in signatures/.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan {

// What the failure of a gang member says about the others: what breaks below
// takes down what runs above it, so the first class present has the root.
enum class GangClass : std::uint8_t {
  kHardware,
  kDisruption,
  kMemory,
  kOwn,
  kUnexplained,
  kEcho,
  // No cause's: the container was started again.
  kRecovered,
};

// What a cause means in an attempt history, and whose words tell of it, as
// bits.
enum History : std::uint8_t {
  kNoHistory = 0,
  // The same program on the same input meets it again. Not so what depends on
  // others (dependencies, peers, the platform) and what is left unexplained.
  kRepeats = 1,
  // Points to the node (field study: lemon nodes).
  kOfNode = 2,
  // The job takes the blame when it follows the job around.
  kOfJob = 4,
  // Lies in what workloads share (network, storage, registry, services), so
  // that many at once are one incident. Not so what a program may do by itself:
  // a bug in a sweep of fifty jobs fails fifty times, and is none.
  kShared = 8,
  // Another node may do better, though this one is in order: no lemon.
  kElsewhere = 16,
  // Comes from outside and goes again: nobody has to mend the work.
  kGoesAgain = 32,
  // Programs tell of it in words of their own: the headline quotes them.
  kInWords = 64,
  // What Kubernetes writes explains it, whatever the cause of the text's row.
  kExplained = 128,
};

// Parts of a report that may be missing.
enum class Part : std::uint8_t {
  kNodes,
  kEvents,
  kWorkload,
  kUsage,
  kMessage,
  kPods,
  kOwner,
  // How members of the gang end that run still.
  kEnds,
};

// Another reading of an ambiguous cause. When `part` is in the report, the
// reading was ruled out with `why_not`; when it is missing, `what` is worth
// fetching.
struct Alternative {
  v1::Cause other;
  Part part;
  std::string_view why_not;
  // "%" stands for the name of pod, node or workload.
  std::string_view what;
  std::string_view why;
};

struct CauseRow {
  v1::Cause cause;
  // Place in the order in which causes are considered: of two facts of equal
  // strength the one whose cause has the lower rank wins. Unique.
  int rank;
  // Who has to act, unless the evidence says otherwise.
  v1::Diagnosis::FaultDomain domain;
  // Whether the work can recover unchanged, likewise.
  v1::Diagnosis::Outlook outlook;
  GangClass gang;
  std::uint8_t history;  // of History
  // Most useful first; empty: not ambiguous.
  std::span<const Alternative> alternatives = {};
  // What to do first where neither the evidence nor the objects say more, and
  // who does it. "{pod}", "{container}", "{node}" and "{image}" stand for what
  // they are called, "{logs}" for the command that shows the log, "{says}" for
  // the deciding text after a colon. Empty: nobody knows.
  std::string_view remedy = {};
  v1::FirstStep::Actor actor = v1::FirstStep::ACTOR_UNSPECIFIED;
};

// By number of the cause, from 1; generated from causes.yaml.
extern const CauseRow kCauseRows[v1::Cause_MAX];

// Returns the row of a cause; that of UNKNOWN for a value of a later version.
inline const CauseRow& RowOf(v1::Cause cause) {
  const int number = static_cast<int>(cause);
  const bool known = number > 0 && number <= v1::Cause_MAX;
  return kCauseRows[(known ? number : static_cast<int>(v1::UNKNOWN)) - 1];
}

// Whether such a failure shows nothing about the program: it would have met
// any. What nobody explained may be the program's.
inline bool IsNotThePrograms(v1::Cause cause) {
  switch (RowOf(cause).domain) {
    case v1::Diagnosis::DISRUPTION:
    case v1::Diagnosis::INFRASTRUCTURE:
    case v1::Diagnosis::CONTROL_PLANE:
    case v1::Diagnosis::QUEUE:
    case v1::Diagnosis::RESOURCE_LIMIT:
      return true;
    default:
      return false;
  }
}

// Whether the cause has one of `meanings`, of History.
inline bool HasHistory(v1::Cause cause, std::uint8_t meanings) {
  return (RowOf(cause).history & meanings) != 0;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_
