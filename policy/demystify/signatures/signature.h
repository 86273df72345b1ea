// One row of the signature tables: a fact seen in a report and what it says
// about the cause. The rows are in *.yaml in this folder; compiler/ makes
// constants of them.
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
inline constexpr Weight kHintWeight = v1::Evidence::HINT;

enum Flag : std::uint16_t {
  kNoFlags = 0,
  // Could also be the echo of a peer's death; never the root of an incident
  // while another member has a cause of its own.
  kPeerEffect = 1,
  // Explains only an end that does not explain itself (143, 137, no status).
  kUnclearEndOnly = 2,
  // What failed is being restarted by its own operator right now.
  kRestarting = 4,
  // The line names the member it is about, which is another one's log.
  kNamesMember = 8,
  // What the program lacks it may have had before: a file somebody removed, a
  // token that ran out. A long run is no proof against it, only for it.
  kMayFade = 16,
  // Tells that the failure passes: a mistake found beside it may be none.
  kPasses = 32,
  // Words that are in many logs: they explain an end of the program's own, not
  // one by a signal that somebody sent (143, 137).
  kOwnEndOnly = 64,
  // What it tells of is the node's, and another node may not have it.
  kOfThisNode = 128,
  // Tells only that a process of the program ended, as its launcher saw it:
  // what that one said before is the reason.
  kOfChild = 256,
};

using Domain = v1::Diagnosis::FaultDomain;
using Outlook = v1::Diagnosis::Outlook;
inline constexpr Domain kApplication = v1::Diagnosis::APPLICATION;
inline constexpr Domain kConfiguration = v1::Diagnosis::CONFIGURATION;
inline constexpr Domain kResourceLimit = v1::Diagnosis::RESOURCE_LIMIT;
inline constexpr Domain kInfrastructure = v1::Diagnosis::INFRASTRUCTURE;
inline constexpr Domain kDisruption = v1::Diagnosis::DISRUPTION;
inline constexpr Domain kControlPlane = v1::Diagnosis::CONTROL_PLANE;
inline constexpr Outlook kRecovers = v1::Diagnosis::RECOVERS;
inline constexpr Outlook kMayRecover = v1::Diagnosis::MAY_RECOVER;
inline constexpr Outlook kCannotRecover = v1::Diagnosis::CANNOT_RECOVER;
inline constexpr Outlook kMayBeDone = v1::Diagnosis::MAY_BE_DONE;

struct Signature {
  // The exact string looked for, or the name of a text signature.
  std::string_view key;
  v1::Cause cause;
  v1::Diagnosis::Confidence confidence;
  Tier tier;
  Weight weight;
  std::uint16_t flags;
  // What the fact means, shown to people.
  std::string_view meaning;
  // Who has to act, where this evidence says more than the cause does.
  // Unspecified: as the row of the cause says.
  Domain domain = v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED;
  // Whether the work can recover unchanged; likewise.
  Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
};

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
