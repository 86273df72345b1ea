#include "policy/demystify/weighing/worth.h"

#include <algorithm>

#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {
namespace {

void Take(const Signature& row, Candidate& fact) {
  fact.tier = row.tier;
  fact.confidence = row.confidence;
}

}  // namespace

void Apply(const Worth& worth, const Scene& scene, Candidate& fact) {
  if (worth.as_its_row) Take(*fact.row, fact);
  if (worth.as_message) Take(*scene.message, fact);
  if (worth.tier) fact.tier = *worth.tier;
  if (worth.confidence) fact.confidence = *worth.confidence;
  if (worth.at_most) {
    fact.confidence = std::min(fact.confidence, *worth.at_most);
  }
  if (worth.agrees) {
    fact.confidence = std::max(fact.confidence, scene.confidence);
  }
  if (worth.among) fact.order = static_cast<std::uint8_t>(2 * *worth.among);
  const auto put_ahead_of = [&fact](Weight weight) {
    fact.order = static_cast<std::uint8_t>(2 * weight - 1);
  };
  if (worth.ahead_of) put_ahead_of(*worth.ahead_of);
  if (worth.ahead_of_strongest) put_ahead_of(WeightOf(*scene.strongest));
  if (worth.why_not != nullptr) fact.why_not = worth.why_not;
}

bool Stronger(const Candidate& a, const Candidate& b) {
  if (a.tier != b.tier) return a.tier > b.tier;
  if (a.order != b.order) return a.order < b.order;
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  return RowOf(a.cause).rank < RowOf(b.cause).rank;
}

const Candidate* Strongest(std::span<const Candidate> facts) {
  const Candidate* best = nullptr;
  for (const Candidate& fact : facts) {
    if (!fact.decides()) continue;
    if (best == nullptr || Stronger(fact, *best)) best = &fact;
  }
  return best;
}

}  // namespace mulligan::demystify
