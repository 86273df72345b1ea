// Weighing: how much each fact settles beside the others. Readers say what they
// found; THE table of rules, in weighing.cc, says what it is worth there:
// nothing else changes a fact's tier, order and confidence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {

// What facts are weighed against, in the order in which it comes to it.
enum class Round : std::uint8_t {
  // Nothing: what it is worth as such.
  kRead,
  // Of an exit code: what the log of its container says.
  kCode,
  // What else the same object says.
  kBeside,
  // An API's answer that speaks of a quota, in words that leave it open.
  kQuota,
  // An API's answer that contradicts itself.
  kTrust,
  // The part that its container had in the end of the pod.
  kContainer,
  // The mark of a pod whose container runs again.
  kRun,
  // Everything else about its pod.
  kPod,
  // How the work fares, for events about other objects than its pods.
  kEvents,
  // The objects above the pods, and the pod that failed.
  kObjects,
  // The other members, for facts of a pod.
  kMembers,
  // For the fact that decides: how far the whole report bears it out.
  kSure,
  // Facts that answer instead of the one that decided.
  kBehind,
  // The answer, for what others say.
  kOthers,
  // For the success that decides: failures beside it.
  kSuccess,
};

struct Rule {
  std::string_view name;
  Round round;
  bool (*holds)(const Candidate& fact, const Scene& scene);
  Worth worth;
};

// All rules, in order.
std::span<const Rule> Rules();

// The first rule of `round` that holds; null when none does.
const Rule* RuleFor(Round round, const Candidate& fact, const Scene& scene);

// Weighs each fact by the first rule of `round` that holds for it, in order:
// scene.facts may be the facts themselves.
void Weigh(Round round, std::span<Candidate> facts, const Scene& scene = {});
inline void Weigh(Round round, Candidate& fact, const Scene& scene = {}) {
  Weigh(round, std::span(&fact, 1), scene);
}

// Weighs the first fact that answers instead of the one that decided, of
// several rules that of the first. Returns its index; -1: there is none.
int WeighBehind(std::span<Candidate> facts, const Scene& scene);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WEIGHING_H_
