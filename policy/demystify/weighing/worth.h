// How much a fact settles: its tier, order and confidence, and the order of
// facts by them.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_

#include <optional>
#include <span>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {

// What a fact is worth where a rule holds; what is not said stays.
struct Worth {
  std::optional<Tier> tier = {};
  std::optional<v1::Diagnosis::Confidence> confidence = {};
  std::optional<v1::Diagnosis::Confidence> at_most = {};
  // Among the facts of this class, or ahead of them, behind the class before.
  std::optional<Weight> among = {};
  std::optional<Weight> ahead_of = {};
  // Ahead of the facts of the strongest one's class.
  bool ahead_of_strongest = false;
  // Tier and confidence are those of its row again, or of the message's.
  bool as_its_row = false;
  bool as_message = false;
  // At least as sure as the answer so far: the two agree.
  bool agrees = false;
  // Why it does not decide. Null: as before.
  const char* why_not = nullptr;
};

// Makes `fact` worth that. `scene` is the one its rule was asked about.
void Apply(const Worth& worth, const Scene& scene, Candidate& fact);

// Strict order: tier, weight class, confidence, then rank of the cause.
bool Stronger(const Candidate& a, const Candidate& b);

// The strongest that decides; null when none does.
const Candidate* Strongest(std::span<const Candidate> facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_WORTH_H_
