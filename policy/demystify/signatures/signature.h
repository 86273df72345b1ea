// One row of the signature tables: a fact seen in a report and what it says
// about the cause. Adding a cause or a signature is adding a row.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan::demystify {

inline constexpr auto kLow = v1::Diagnosis::LOW;
inline constexpr auto kMedium = v1::Diagnosis::MEDIUM;
inline constexpr auto kHigh = v1::Diagnosis::HIGH;

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

// The second criterion. The third is the confidence, the last the rank of the
// causes themselves.
using Weight = v1::Evidence::Weight;
inline constexpr Weight kQueueWeight = v1::Evidence::QUEUE;
inline constexpr Weight kDisruptionWeight = v1::Evidence::DISRUPTION;
inline constexpr Weight kPodWeight = v1::Evidence::POD_REASON;
inline constexpr Weight kContainerWeight = v1::Evidence::CONTAINER_REASON;
inline constexpr Weight kExitCodeWeight = v1::Evidence::EXIT_CODE;
inline constexpr Weight kOperatorWeight = v1::Evidence::OPERATOR_REASON;
inline constexpr Weight kTextWeight = v1::Evidence::MESSAGE;
inline constexpr Weight kAbsenceWeight = v1::Evidence::ABSENCE;

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
  v1::Diagnosis::Confidence confidence;
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
