// The evidence of a conclusion, as an answer shows it.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_

#include <vector>

#include "policy/demystify/conclusion.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

struct EvidenceFound {
  // The fact that named the cause, then supporting facts, the strongest first;
  // at most six. Empty if no fact decides.
  std::vector<const Candidate*> facts;
  // The strongest overridden fact of another cause; null if there is none.
  const Candidate* overrode = nullptr;
};

EvidenceFound EvidenceOf(const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_
