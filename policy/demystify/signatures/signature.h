// One row of the signature tables: a fact seen in a report and what it says
// about the cause. Adding a cause or a signature is adding a row.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/cause.pb.h"

namespace mulligan::demystify {

// How much a fact settles, the first criterion when facts disagree.
enum class Tier : std::uint8_t {
  // Supports another fact, never decides.
  kHint,
  // A question rather than an answer: exit 1, 137 or 143, retries used up.
  kGeneric,
  // Means this by convention: sysexits, an operator's summary.
  kConvention,
  // Names the cause.
  kSpecific,
  // Set by Kubernetes or a provider for exactly this cause.
  kDecisive,
};

// Weight classes of design section 6, 1 the heaviest: the second criterion.
// The third is the order of the causes themselves.
enum Weight : std::uint8_t {
  kQueueWeight = 1,
  kDisruptionWeight = 2,
  kPodWeight = 3,
  kContainerWeight = 4,
  kExitCodeWeight = 5,
  kOperatorWeight = 6,
  kTextWeight = 7,
  kAbsenceWeight = 8,
};

enum Flag : std::uint8_t {
  kNoFlags = 0,
  // Could also be the echo of a peer's death; never the root of an incident
  // while another member has a cause of its own.
  kPeerEffect = 1,
  // Explains only an end that does not explain itself (143, 137, no status).
  kUnclearEndOnly = 2,
  // What failed is being restarted by its own operator right now.
  kRestarting = 4,
};

struct Signature {
  // The exact string looked for, or the name of a text signature.
  std::string_view key;
  v1::Cause cause;
  v1::Confidence confidence;
  Tier tier;
  Weight weight;
  std::uint8_t flags;
  // What the fact means, shown to people.
  std::string_view meaning;
};

// For static_assert on tables that Find() searches.
template <std::size_t N>
constexpr bool IsSorted(const Signature (&rows)[N]) {
  return std::is_sorted(
      std::begin(rows), std::end(rows),
      [](const Signature& a, const Signature& b) { return a.key < b.key; });
}

// Row with exactly this key in a sorted table; null when there is none.
inline const Signature* Find(std::span<const Signature> rows,
                             std::string_view key) {
  const auto row = std::lower_bound(
      rows.begin(), rows.end(), key,
      [](const Signature& a, std::string_view b) { return a.key < b; });
  return row != rows.end() && row->key == key ? &*row : nullptr;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_
