// Facts: possible explanations of a failure, with their places in the report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_FACT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_FACT_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/signatures/signature.h"
#include "policy/request/workload_view.h"

namespace mulligan::demystify {

using Seconds = std::int64_t;

inline constexpr Seconds kUnknownTime = std::numeric_limits<Seconds>::min();

// Clocks of nodes and controllers may differ by this many seconds, so a smaller
// difference between two machines means nothing.
inline constexpr Seconds kClockSkew = 10;

// A failure is outdated once the next attempt has run for kOutlives times as
// long as the failed one, and for at least kMinRun seconds.
inline constexpr Seconds kMinRun = 180;
inline constexpr int kOutlives = 2;

// Seconds. A lost node is marked after its grace period (40 to 50 seconds), and
// its pods after the five minutes that they tolerate it. Peers fail at once.
inline constexpr Seconds kNodeLossSeenAfter = 360;

// End of the year 9999, the last time of a Timestamp. Keeps sums of times and
// delays far from overflow.
inline constexpr Seconds kLastTime = 253402300799;

// Kubernetes writes "no time" as the zero time, which reads as the epoch.
inline Seconds ToSeconds(const google::protobuf::Timestamp& time) {
  if (time.seconds() <= 0) return kUnknownTime;
  return time.seconds() < kLastTime ? time.seconds() : kLastTime;
}

inline bool Known(Seconds time) { return time != kUnknownTime; }

// Returns whether both are known and `a` is strictly earlier.
inline bool Before(Seconds a, Seconds b) {
  return Known(a) && Known(b) && a < b;
}

inline Seconds Earlier(Seconds a, Seconds b) {
  if (!Known(a)) return b;
  if (!Known(b)) return a;
  return a < b ? a : b;
}

enum class Root : std::uint8_t {
  kPods,
  kJobs,
  kNodes,
  kEvents,
  kUsage,
  // An object that owns Jobs or pods: Place.owner.
  kOwner,
  // Kueue's Workload.
  kWorkload,
  kCreationError,
  kExit,
  // A field of the report itself.
  kReport,
  // A hint of the caller.
  kHints,
};

// Where a fact was read. Paths are only built for facts in an answer:
// root[index] list [item] leaf.
struct Place {
  Root root = Root::kPods;
  int index = -1;
  const char* list = "";
  int item = -1;
  const char* leaf = "";
  const WorkloadView* owner = nullptr;
};

// Views point into the report, which must outlive it.
struct Candidate {
  const Signature* row = nullptr;
  // Prefix of the signature's name: its table, or the policy of a user
  // signature.
  std::string_view table;
  Place place;
  // The value found; empty for numbers, which are in `number`.
  std::string_view value;
  std::int32_t number = 0;
  // Where a text signature matched: text and offset; empty for other facts.
  std::string_view text;
  std::size_t found_at = 0;
  // When it happened.
  Seconds at = kUnknownTime;
  // The row's, unless its context determines it (ReplaceRow).
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  // The row's, unless weighed (weighing/weighing.h).
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  Tier tier = Tier::kHint;
  // Position in the tier: twice the weight class, which leaves room in between.
  std::uint8_t order = 0;
  std::uint16_t flags = kNoFlags;
  // Why it does not decide; empty if only weaker than the winner.
  const char* why_not = "";

  bool decides() const { return row != nullptr && tier > Tier::kHint; }
  // Returns whether it is exactly in this weight class.
  bool HasWeight(Weight weight) const { return order == 2 * weight; }
};

inline Candidate MakeCandidate(std::string_view table, const Signature& row,
                               const Place& place, std::string_view value) {
  Candidate candidate;
  candidate.row = &row;
  candidate.table = table;
  candidate.place = place;
  candidate.value = value;
  candidate.cause = row.cause;
  candidate.confidence = row.confidence;
  candidate.tier = row.tier;
  candidate.order = static_cast<std::uint8_t>(2 * row.weight);
  candidate.flags = row.flags;
  return candidate;
}

// Returns the weight class that it counts as.
inline Weight WeightOf(const Candidate& candidate) {
  return static_cast<Weight>((candidate.order + 1) / 2);
}

// Returns whether it is an intended end rather than a failure.
inline bool IsOutcome(const Candidate& fact) {
  return fact.cause == v1::SUCCEEDED || fact.cause == v1::CANCELLED;
}

using Candidates = absl::InlinedVector<Candidate, 4>;

// Adds a fact of `table`. The reference is valid until the next one is added.
inline Candidate& AddFact(Candidates& candidates, std::string_view table,
                          const Signature& row, const Place& place,
                          std::string_view value, Seconds at = kUnknownTime) {
  Candidate& added =
      candidates.emplace_back(MakeCandidate(table, row, place, value));
  added.at = at;
  return added;
}

// Adds a sign that code detects (special_signs.yaml).
Candidate& AddSign(Candidates& candidates, const Signature& sign,
                   const Place& place, std::string_view value,
                   Seconds at = kUnknownTime);

// Lists in a pod's status that places refer to.
inline constexpr char kContainerStatuses[] = ".status.containerStatuses";
inline constexpr char kInitContainerStatuses[] =
    ".status.initContainerStatuses";

// Returns the value as text: a line, a number, or a hint with its source, such
// as "node-health: Xid 79 on GPU 3".
std::string ValueOf(const v1::FailureReport& report, const Candidate& fact);

// Returns for example "pods[2].status.containerStatuses[0].restartCount".
std::string PathOf(const Place& place);

// Returns whether the place is an owner's message: the operator's text, or
// program output that it quotes.
bool IsOwnersMessage(const Place& place);

// The object that contains a place. Views point into the report.
struct ObjectName {
  std::string_view kind;
  std::string_view space;
  std::string_view name;
};
ObjectName ObjectOf(const v1::FailureReport& report, const Place& place);

// Returns "Pod/namespace/name"; empty if the object has no name.
std::string ObjectText(const ObjectName& object);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FACT_H_
