// The texts of an answer that are read first: what stopped the work and what to
// do first. No decision depends on them.
#ifndef MULLIGAN_POLICY_WORDS_ADVICE_H_
#define MULLIGAN_POLICY_WORDS_ADVICE_H_

#include <string>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/words/answered.h"

namespace mulligan::words {

struct Advice {
  // Diagnosis.problem
  std::string problem;
  // Diagnosis.problem_evidence; without a value if there is none.
  v1::Evidence quote;
  // Without text if nothing is broken or held back, or no step is known.
  v1::FirstStep first_step;
};

Advice Advise(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ADVICE_H_
