// What every reader of one report shares, and the facts that they find: each a
// possible answer.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/signatures/signature.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/text_table.h"
#include "policy/demystify/signatures/user_signatures.h"
#include "policy/request/workload_view.h"

namespace mulligan::demystify {

using Seconds = std::int64_t;

inline constexpr Seconds kUnknownTime = std::numeric_limits<Seconds>::min();

// Clocks of nodes and controllers may differ by this much before an order of
// events between two machines means anything.
inline constexpr Seconds kClockSkew = 10;

// A lost node is marked after its grace period (40 to 50 seconds), its pods
// after the five minutes that they tolerate it; their peers fail at once.
inline constexpr Seconds kNodeLossSeenAfter = 360;

// End of the year 9999, the last time a Timestamp may name: keeps sums of
// times and delays far from overflow.
inline constexpr Seconds kLastTime = 253402300799;

// Kubernetes writes "no time" as the zero time, which reads as the epoch.
inline Seconds ToSeconds(const google::protobuf::Timestamp& time) {
  if (time.seconds() <= 0) return kUnknownTime;
  return time.seconds() < kLastTime ? time.seconds() : kLastTime;
}

inline bool Known(Seconds time) { return time != kUnknownTime; }

// Both known, and strictly before: a tie is no order.
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
  // An object that Jobs and pods are made for: Place.owner.
  kOwner,
  // Kueue's.
  kWorkload,
  kCreationError,
  kExit,
  // A field of the report itself.
  kReport,
};

// Where a fact was read. Kept in parts: a path is written only for the facts
// that end up in an answer. Path: root[index] list [item] leaf.
struct Place {
  Root root = Root::kPods;
  int index = -1;
  const char* list = "";
  int item = -1;
  const char* leaf = "";
  const WorkloadView* owner = nullptr;
};

// Views point into the report; a candidate lives no longer than it.
struct Candidate {
  const Signature* row = nullptr;
  // Prefix of the signature's name: its table, or the policy of a user's own.
  std::string_view table;
  Place place;
  // The value found; numbers are in `number` and leave it empty.
  std::string_view value;
  std::int32_t number = 0;
  // The text a text signature was found in and the word that led to it; empty
  // for other facts.
  std::string_view text;
  std::string_view keyword;
  // When the fact came about.
  Seconds at = kUnknownTime;
  // As in the row, unless the surroundings changed them.
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  Tier tier = Tier::kHint;
  // Position within the tier: twice the weight class, so that there is a place
  // between two classes.
  std::uint8_t order = 0;
  std::uint8_t flags = kNoFlags;
  // Why it does not decide; empty: weaker than the winner.
  const char* why_not = "";

  bool decides() const { return row != nullptr && tier > Tier::kHint; }
  // Whether it stands among the facts of this class.
  bool IsOf(Weight weight) const { return order == 2 * weight; }
  // Puts it ahead of the facts of this class, behind the class before.
  void PutAheadOf(Weight weight) {
    order = static_cast<std::uint8_t>(2 * weight - 1);
  }
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

// The class it counts with.
inline Weight WeightOf(const Candidate& candidate) {
  return static_cast<Weight>((candidate.order + 1) / 2);
}

// Takes a fact out of the decision, keeping it as an explanation.
inline void Demote(Candidate& candidate, const char* why_not) {
  candidate.tier = Tier::kHint;
  candidate.why_not = why_not;
}

// Strict order: tier, weight class, confidence, then rank of the cause.
inline bool Stronger(const Candidate& a, const Candidate& b) {
  if (a.tier != b.tier) return a.tier > b.tier;
  if (a.order != b.order) return a.order < b.order;
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  return RowOf(a.cause).rank < RowOf(b.cause).rank;
}

using Candidates = absl::InlinedVector<Candidate, 12>;

// The strongest that decides; null when none does.
const Candidate* Strongest(const Candidates& candidates);

// Adds a fact of `table`; the reference is good until the next one is added.
inline Candidate& AddFact(Candidates& candidates, std::string_view table,
                          const Signature& row, const Place& place,
                          std::string_view value, Seconds at = kUnknownTime) {
  Candidate& added =
      candidates.emplace_back(MakeCandidate(table, row, place, value));
  added.at = at;
  return added;
}

// Adds a sign that code found out (special_signs.yaml).
Candidate& AddSign(Candidates& candidates, const Signature& sign,
                   const Place& place, std::string_view value,
                   Seconds at = kUnknownTime);

// Adds what `table` knows about `text` to `candidates`, read at `place`.
// Returns the row, null when the table knows nothing.
const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place, Seconds at);

// Lists of a pod's status that places name.
inline constexpr char kContainerStatuses[] = ".status.containerStatuses";
inline constexpr char kInitContainerStatuses[] =
    ".status.initContainerStatuses";

// "pods[2].status.containerStatuses[0].state.terminated.reason".
std::string PathOf(const Place& place);

// The object a place belongs to. Views point into the report.
struct ObjectName {
  std::string_view kind;
  std::string_view space;
  std::string_view name;
};
ObjectName ObjectOf(const v1::FailureReport& report, const Place& place);

// Whether a pod shows that it was on a node, named or not.
bool WasPlaced(const kubernetes::core::v1::Pod& pod);

// "Pod/namespace/name"; empty when the object has no name.
std::string ObjectText(const ObjectName& object);

// Of the events of one node so many are read for each of its pods, so that a
// report's cost stays linear in its size.
inline constexpr std::size_t kMaxNodeEvents = 64;

// Up to this many objects a search is cheaper than an index.
inline constexpr int kSearchedObjects = 8;

struct Context {
  // `absent_now` is what time it is where the report does not say.
  Context(const v1::FailureReport& of, const UserSignatures* user_signatures,
          const google::protobuf::Timestamp& absent_now,
          PatternAllowance& allowance);

  const v1::FailureReport& report;
  const Owners owners;
  // May be null.
  const UserSignatures* signatures;
  // For the signatures' patterns.
  PatternAllowance& patterns;
  // When the report was observed.
  Seconds now;
  // Exit codes are read as Spark's.
  bool spark = false;
  // Attempts before that ended for reasons that are not the program's, as far
  // as the ledger or the report tells.
  int not_the_programs = 0;
  // An operator says that the program itself failed: how whatever submitted it
  // ended says nothing more.
  bool program_failed = false;
  // Events about pods of the report, sorted by the index of the pod.
  struct Link {
    int target;
    int event;
  };
  std::vector<Link> pod_events;
  // Indexes of events about nodes, by the name of the node.
  std::unordered_map<std::string_view, std::vector<int>> node_events;
  // Events about no pod of the report, but perhaps about something of the
  // workload: a pod that is gone, its Job.
  std::vector<int> other_events;
  // Events about what workloads share, such as claims and, in a report without
  // pods, nodes: nothing says that it is this workload's.
  std::vector<int> shared_events;
  // Events about other workloads, which are not read.
  int strange_events = 0;

  // Index into report.nodes; -1 when the node is not in the report. The only
  // node is that of an only pod that was somewhere, but does not say where.
  int NodeOf(const kubernetes::core::v1::Pod& pod) const;

  // Indexes into report.usage that may be about `pod`.
  std::vector<int> UsageOf(const kubernetes::core::v1::Pod& pod) const;

  // Adds the user signature that matches, if any.
  void AddUserSignature(Candidates& facts, v1::Signature::Source source,
                        std::string_view text,
                        std::optional<std::int32_t> exit_code,
                        const Place& place, Seconds at) const;

 private:
  void IndexEvents();
  // Names that objects of the workload begin with or contain.
  std::vector<std::string_view> Stems() const;
  // What is known of the names of pods that are not in the report.
  enum class PodNames : std::uint8_t {
    // They have some name of the workload in them.
    kAny,
    // A Job's name, perhaps an index, and a made-up end.
    kOfJob,
    // The pods of the report belong to nobody: there are no others.
    kReported,
  };
  PodNames NamesOfPods() const;

  // report.usage by pod name.
  std::unordered_map<std::string_view, std::vector<int>> usage_by_pod_;
  // Filled when there are too many nodes for a search.
  std::unordered_map<std::string_view, int> nodes_by_name_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
