// A fact found in a report, as a possible answer.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CANDIDATE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CANDIDATE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "mulligan/v1/cause.pb.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/seconds.h"
#include "policy/demystify/signatures/signature.h"
#include "policy/demystify/signatures/text_table.h"

namespace mulligan::demystify {

enum class Root : std::uint8_t {
  kPods,
  kJobs,
  kNodes,
  kEvents,
  kUsage,
  kJobSet,
  kRayJob,
  kRayCluster,
  kTrainJob,
  kWorkload,
  kSpark,
  kKubeflow,
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

inline void Add(Candidates& candidates, const Candidate& candidate) {
  candidates.push_back(candidate);
}

// Adds what `table` knows about `text` to `candidates`, read at `place`.
// Returns the row, null when the table knows nothing.
const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place, Seconds at);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CANDIDATE_H_
