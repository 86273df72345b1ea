#include "policy/demystify/evidence.h"

#include <algorithm>
#include <cstddef>

#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

// Longer lists do not help a reader.
constexpr std::size_t kMaxEvidence = 6;

}  // namespace

EvidenceFound EvidenceOf(const Conclusion& conclusion) {
  EvidenceFound found;
  const Candidate* naming = conclusion.naming();
  if (naming == nullptr) return found;
  found.facts.push_back(naming);
  for (const Candidate& fact : conclusion.facts) {
    if (&fact == naming || fact.row == nullptr) continue;
    if (fact.cause == naming->cause) {
      if (fact.row != naming->row && found.facts.size() < kMaxEvidence) {
        found.facts.push_back(&fact);
      }
    } else if (fact.tier >= Tier::kGeneric &&
               (found.overrode == nullptr || Stronger(fact, *found.overrode))) {
      found.overrode = &fact;
    }
  }
  std::stable_sort(found.facts.begin() + 1, found.facts.end(),
                   [](const Candidate* a, const Candidate* b) {
                     return WeightOf(*a) < WeightOf(*b);
                   });
  return found;
}

}  // namespace mulligan::demystify
