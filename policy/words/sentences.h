// The two sentences of an answer, from what was found about the failure.
#ifndef MULLIGAN_POLICY_WORDS_SENTENCES_H_
#define MULLIGAN_POLICY_WORDS_SENTENCES_H_

#include <string>
#include <string_view>

#include "policy/words/answered.h"
#include "policy/words/container_specs.h"
#include "policy/words/particulars.h"
#include "policy/words/remedies.h"

namespace mulligan::words {

// What stopped the work, in one sentence with the names and numbers there are:
// "Pod eval-2, container main: image ghcr.io/acme/train:v2: no such tag".
std::string Headline(const Answered& answered, const Particulars& found,
                     const Remedy& remedy);

// The line that `headline` tells and none of the evidence has, else what the
// culprit container said last where neither has that; empty: all is told.
v1::Evidence FindQuote(const Answered& answered, const std::string& headline,
                       const Particulars& found, const Remedy& remedy);

// "raise the memory limit of container trainer from 4Gi to 6Gi". Without text
// when nothing is broken or held back, or nobody knows.
v1::FirstStep FirstStepOf(const Answered& answered, const Particulars& found,
                          const Remedy& remedy, const ContainerSpecs& specs);

// Attempts of a workload that failed for different reasons until its operator
// gave up.
struct DifferentCauses {
  // "3 attempts failed for different reasons (CONTAINER_OOM, APP_ERROR,
  // DRAINED)"; empty: one reason, or the operator has not given up.
  std::string remark;
  // "CONTAINER_OOM and APP_ERROR before it need a person"; empty where the last
  // failure needs one too, or none does.
  std::string step;
};
DifferentCauses FindDifferentCauses(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_SENTENCES_H_
