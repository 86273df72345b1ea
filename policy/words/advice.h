// What people read first of an answer: what stopped the work, in a sentence,
// and what to do first. Nothing is decided by it.
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
  // Diagnosis.problem_evidence; without a value: there is none.
  v1::Evidence quote;
  // Without text: nothing is broken or held back, or nobody knows.
  v1::FirstStep first_step;
};

Advice Advise(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ADVICE_H_
