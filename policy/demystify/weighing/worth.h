// The strength of facts: tier, order and confidence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_

#include <optional>
#include <span>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {

// The strength of a fact for which a rule holds. Unset members change nothing.
struct Worth {
  std::optional<Tier> tier = {};
  std::optional<v1::Diagnosis::Confidence> confidence = {};
  std::optional<v1::Diagnosis::Confidence> at_most = {};
  // Moves it to this class, or between this class and the one before.
  std::optional<Weight> among = {};
  std::optional<Weight> ahead_of = {};
  // Moves it ahead of the strongest fact's class.
  bool ahead_of_strongest = false;
  // Takes tier and confidence from its row again, or from the message's.
  bool as_its_row = false;
  bool as_message = false;
  // Raises the confidence to that of the answer so far, because they agree.
  bool agrees = false;
  // Why it does not decide; null if unchanged.
  const char* why_not = nullptr;
};

// Applies `worth` to `fact`. `scene` is the scene in which the rule held.
void Apply(const Worth& worth, const Scene& scene, Candidate& fact);

// Returns whether `a` is stronger by tier, weight class, confidence and the
// rank of its cause, in this order.
bool Stronger(const Candidate& a, const Candidate& b);

// Returns the strongest fact that decides, or null.
const Candidate* Strongest(std::span<const Candidate> facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
