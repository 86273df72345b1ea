// The table of causes, causes.yaml. signatures/ maps reports to causes.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan {

// What the failure of a gang member implies for the others. Failures of lower
// layers take down higher ones, so the first class present has the root.
enum class GangClass : std::uint8_t {
  kHardware,
  kDisruption,
  kMemory,
  kOwn,
  kUnexplained,
  kEcho,
  // Not a class of a cause: the container was restarted.
  kRecovered,
};

// Bits: what a cause means in a history, and which texts explain it.
enum History : std::uint8_t {
  kNoHistory = 0,
  // The same program fails again on the same input. Excludes causes that depend
  // on others (dependencies, peers, platform) and unexplained ones.
  kRepeats = 1,
  // Points to the node (field study: lemon nodes).
  kOfNode = 2,
  // Points to the job if it follows the job to other nodes.
  kOfJob = 4,
  // A fault of shared resources (network, storage, registry, services), so many
  // at once are one incident. Excludes causes within a program: a bug in a
  // sweep of fifty jobs is not an incident.
  kShared = 8,
  // Another node may do better, although this one is healthy.
  kElsewhere = 16,
  // External and temporary: the work itself needs no fix.
  kGoesAgain = 32,
  // Programs report it in their output, which the headline quotes.
  kInWords = 64,
  // Any Kubernetes text may explain this cause, even one whose row names
  // another.
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
  // How members of the gang that still run will end.
  kEnds,
};

// Another reading of an ambiguous cause. If `part` is in the report, the
// reading is ruled out with `why_not`; if it is missing, `what` is worth
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
  // Unique. Of two facts of equal strength, the one whose cause has the lower
  // rank wins.
  int rank;
  // Who must act, unless the evidence says otherwise.
  v1::Diagnosis::FaultDomain domain;
  // Whether the work can recover unchanged, unless the evidence says otherwise.
  v1::Diagnosis::Outlook outlook;
  GangClass gang;
  std::uint8_t history;  // of History
  // Most useful first; empty if the cause is unambiguous.
  std::span<const Alternative> alternatives = {};
  // What to do first if neither the evidence nor the objects say more, and who
  // does it; empty if unknown. Placeholders are "{pod}", "{container}",
  // "{node}" and "{image}" for names, "{logs}" for the command that shows the
  // log, and "{says}" for the deciding text after a colon.
  std::string_view remedy = {};
  v1::FirstStep::Actor actor = v1::FirstStep::ACTOR_UNSPECIFIED;
  // The remedy of an attempt without Kubernetes; empty if it is the same.
  std::string_view elsewhere = {};
};

// By number of the cause, from 1; generated from causes.yaml.
extern const CauseRow kCauseRows[v1::Cause_MAX];

// Returns the row of a cause; that of UNKNOWN for values of later versions.
inline const CauseRow& RowOf(v1::Cause cause) {
  const int number = static_cast<int>(cause);
  const bool known = number > 0 && number <= v1::Cause_MAX;
  return kCauseRows[(known ? number : static_cast<int>(v1::UNKNOWN)) - 1];
}

// Returns whether any program would have failed, so that the failure says
// nothing about this one. False for unexplained failures.
inline bool IsExternalFailure(v1::Cause cause) {
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

// Returns whether the cause has one of `meanings`, bits of History.
inline bool HasHistory(v1::Cause cause, std::uint8_t meanings) {
  return (RowOf(cause).history & meanings) != 0;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CAUSES_H_
