// The evidence for a conclusion, as shown in an answer.
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
  // The strongest overridden fact of another cause, or null.
  const Candidate* overrode = nullptr;
};

EvidenceFound EvidenceOf(const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_
