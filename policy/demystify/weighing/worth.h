// The strength of facts: tier, order and confidence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_

#include <optional>
#include <span>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {

// What a fact is worth if a rule holds; unset members do not change.
struct Worth {
  std::optional<Tier> tier = {};
  std::optional<v1::Diagnosis::Confidence> confidence = {};
  std::optional<v1::Diagnosis::Confidence> at_most = {};
  // Among the facts of this class, or ahead of them but after the class before.
  std::optional<Weight> among = {};
  std::optional<Weight> ahead_of = {};
  // Ahead of the facts in the strongest one's class.
  bool ahead_of_strongest = false;
  // Takes tier and confidence from its row again, or from the message's.
  bool as_its_row = false;
  bool as_message = false;
  // Raises the confidence to that of the answer so far, because they agree.
  bool agrees = false;
  // Why it does not decide; null: unchanged.
  const char* why_not = nullptr;
};

// Applies `worth` to `fact`. `scene` is the one that the rule was evaluated in.
void Apply(const Worth& worth, const Scene& scene, Candidate& fact);

// Strict order: tier, weight class, confidence, then rank of the cause.
bool Stronger(const Candidate& a, const Candidate& b);

// Returns the strongest fact that decides; null if none does.
const Candidate* Strongest(std::span<const Candidate> facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
