// The sentences of an answer.
#ifndef MULLIGAN_POLICY_WORDS_SENTENCES_H_
#define MULLIGAN_POLICY_WORDS_SENTENCES_H_

#include <string>
#include <string_view>

#include "policy/words/answered.h"
#include "policy/words/container_specs.h"
#include "policy/words/particulars.h"
#include "policy/words/remedies.h"

namespace mulligan::words {

// Returns what stopped the work, with names and numbers: "Pod eval-2, container
// main: image ghcr.io/acme/train:v2: no such tag".
std::string Headline(const Answered& answered, const Particulars& found,
                     const Remedy& remedy);

// Returns the first of these that is not yet quoted: the source of `headline`,
// the culprit container's last output. Without one, an empty quote.
v1::Evidence FindQuote(const Answered& answered, const std::string& headline,
                       const Particulars& found, const Remedy& remedy);

// Returns for example "raise the memory limit of container trainer from 4Gi to
// 6Gi"; without text if nothing is broken or held back, or no step is known.
v1::FirstStep FirstStepOf(const Answered& answered, const Particulars& found,
                          const Remedy& remedy, const ContainerSpecs& specs);

// Returns for example "container OOM" for CONTAINER_OOM.
std::string CauseText(v1::Cause cause);

// The different causes of failure until the operator gave up.
struct DifferentCauses {
  // "3 attempts failed for different reasons (container OOM, app error,
  // drained)"; empty for one cause, or if the operator has not given up.
  std::string remark;
  // "container OOM and app error before it need a person: see the attempts";
  // empty if the last failure needs a person too, or no failure does.
  std::string step;
};
DifferentCauses FindDifferentCauses(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_SENTENCES_H_
