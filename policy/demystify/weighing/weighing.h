// Weighing of facts against each other. Readers report facts; the table of
// rules in weighing.cc alone changes their tier, order and confidence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {

// The evidence that facts are weighed against, in order.
enum class Round : std::uint8_t {
  // None: the fact alone.
  kRead,
  // For an exit code: the log of its container.
  kCode,
  // The rest of the same object.
  kSameObject,
  // For an API's answer about a quota in vague words.
  kQuota,
  // For an API's answer that contradicts itself.
  kTrust,
  // The container's role in the end of the pod.
  kContainer,
  // The mark of a pod whose container runs again.
  kRun,
  // Everything else about its pod.
  kPod,
  // For events about other objects: the state of the work.
  kEvents,
  // The objects above the pods, and the failed pod.
  kObjects,
  // For facts of a pod: the other members.
  kMembers,
  // For the deciding fact: how well the report supports it.
  kSure,
  // Facts that replace the deciding one.
  kReplace,
  // For hints: the answer.
  kOthers,
  // For a success that decides: signs of failure.
  kSuccess,
};

struct Rule {
  std::string_view name;
  Round round;
  bool (*holds)(const Candidate& fact, const Scene& scene);
  Worth worth;
};

// Returns all rules, in order.
std::span<const Rule> Rules();

// Returns the first rule of `round` that holds, or null.
const Rule* RuleFor(Round round, const Candidate& fact, const Scene& scene);

// Weighs each fact by the first rule of `round` that holds for it, in order.
// `scene.facts` may refer to `facts`.
void Weigh(Round round, std::span<Candidate> facts, const Scene& scene = {});
inline void Weigh(Round round, Candidate& fact, const Scene& scene = {}) {
  Weigh(round, std::span(&fact, 1), scene);
}

// Weighs the first fact that replaces the deciding one, by the first rule that
// holds for any fact. Returns its index, or -1.
int WeighBehind(std::span<Candidate> facts, const Scene& scene);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_
