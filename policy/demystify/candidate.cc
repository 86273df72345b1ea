#include "policy/demystify/candidate.h"

namespace mulligan::demystify {

const Candidate* Strongest(const Candidates& candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.decides()) continue;
    if (best == nullptr || Stronger(candidate, *best)) best = &candidate;
  }
  return best;
}

const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place,
                         Seconds at) {
  const TextSignature* found = table.Find(text);
  if (found == nullptr) return nullptr;
  Candidate candidate =
      MakeCandidate(table.name(), found->row, place, std::string_view());
  candidate.text = text;
  candidate.keyword = found->keyword;
  candidate.at = at;
  Add(candidates, candidate);
  return &found->row;
}

}  // namespace mulligan::demystify
