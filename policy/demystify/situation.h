// Whether anything is broken.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

struct SituationFound {
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When to look again at work that is not broken; unknown if unnecessary.
  Seconds ask_again = kUnknownTime;
  // Explanation for users; empty if obvious.
  std::string warning = {};
};

// Returns the situation of an attempt with a decisive fact. It is not broken if
// the ended part was replaced or the workload is being deleted.
SituationFound FindSituation(const Attempt& attempt,
                             const Conclusion& conclusion);

// Returns the situation of an attempt without a decisive fact, which is not
// broken. Adds the fact that shows the state of the work, if any, to `facts`.
SituationFound FindLiveSituation(const Attempt& attempt, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
