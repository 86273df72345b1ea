// A row of the signature tables: a fact in a report and its meaning. The rows
// are in *.yaml in this folder; tools/rows generates constants from them.
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

// How much a fact settles; the first criterion when facts disagree.
enum class Tier : std::uint8_t {
  // Supports another fact, never decides.
  kHint,
  // Leaves the cause open: exit 1, 137 or 143, retries used up.
  kGeneric,
  // Has this meaning by convention: sysexits, an operator's summary.
  kConvention,
  // Names the cause.
  kSpecific,
  // Set by Kubernetes or a provider for exactly this cause.
  kDecisive,
};

// The second criterion. Then come the confidence and the cause's rank.
using Weight = v1::Evidence::Weight;
inline constexpr Weight kQueueWeight = v1::Evidence::QUEUE;
inline constexpr Weight kDisruptionWeight = v1::Evidence::DISRUPTION;
inline constexpr Weight kPodWeight = v1::Evidence::POD_REASON;
inline constexpr Weight kContainerWeight = v1::Evidence::CONTAINER_REASON;
inline constexpr Weight kExitCodeWeight = v1::Evidence::EXIT_CODE;
inline constexpr Weight kOperatorWeight = v1::Evidence::OPERATOR_REASON;
inline constexpr Weight kTextWeight = v1::Evidence::MESSAGE;
inline constexpr Weight kHintWeight = v1::Evidence::HINT;

enum Flag : std::uint16_t {
  kNoFlags = 0,
  // May be an echo of a peer's death; never the root of an incident if another
  // member has its own cause.
  kPeerEffect = 1,
  // Explains only an end that does not explain itself (143, 137, no status).
  kUnclearEndOnly = 2,
  // Its operator is restarting what failed.
  kRestarting = 4,
  // The line is in another member's log and names the member that it is about.
  kNamesMember = 8,
  // The program may earlier have had what it now lacks: a deleted file, an
  // expired token. A long run supports this.
  kMayFade = 16,
  // Shows that the failure passes, so a mistake in the same log may not be one.
  kPasses = 32,
  // Text in many logs, so it only explains the program's own end, not one by a
  // signal from outside (143, 137).
  kOwnEndOnly = 64,
  // Concerns this node only.
  kOfThisNode = 128,
  // A launcher's report that a process ended; that process's earlier output has
  // the reason.
  kOfChild = 256,
};

struct Signature {
  // The exact string, or the name of a text signature.
  std::string_view key;
  v1::Cause cause;
  v1::Diagnosis::Confidence confidence;
  Tier tier;
  Weight weight;
  std::uint16_t flags;
  // What the fact means, shown to users.
  std::string_view meaning;
  // Who must act, and whether the work can recover unchanged. If unspecified,
  // the row of the cause applies.
  v1::Diagnosis::FaultDomain domain = v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED;
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
};

// Returns the row with this key in a sorted table, or null.
inline const Signature* Find(std::span<const Signature> rows,
                             std::string_view key) {
  const auto row = std::lower_bound(
      rows.begin(), rows.end(), key,
      [](const Signature& a, std::string_view b) { return a.key < b; });
  return row != rows.end() && row->key == key ? &*row : nullptr;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SIGNATURE_H_
