// Whether anything is broken.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

struct Standing {
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When to look again at work that is not broken; unknown if there is no need.
  Seconds ask_again = kUnknownTime;
  // Explanation for users; empty if obvious.
  std::string warning = {};
};

// Returns the status of an attempt with a decisive fact. Nothing is broken if
// what ended has been replaced, or if the workload is being deleted.
Standing StandingOf(const Attempt& attempt, const Conclusion& conclusion);

// Returns the status of an attempt without a decisive fact, which is never
// broken without evidence of an end. Adds the fact that shows how the work
// fares to `facts`, if there is one.
Standing LookForLife(const Attempt& attempt, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
