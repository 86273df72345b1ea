// What decided, as an answer shows it.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_

#include <vector>

#include "policy/demystify/conclusion.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

struct EvidenceFound {
  // The fact that named the cause, then what supports it, the heaviest first;
  // at most six. Empty: nothing decides.
  std::vector<const Candidate*> facts;
  // The strongest fact of another cause that the first one overrode; null: none
  // was.
  const Candidate* overrode = nullptr;
};

EvidenceFound EvidenceOf(const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_EVIDENCE_H_
