// The summary of a failure in one sentence.
#ifndef MULLIGAN_POLICY_WORDS_SUMMARY_H_
#define MULLIGAN_POLICY_WORDS_SUMMARY_H_

#include <string>

#include "policy/demystify/conclusion.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"

namespace mulligan::words {

// Returns what happened to which object, for Diagnosis.summary.
std::string Summarize(const Owners& owners,
                      const demystify::Conclusion& conclusion,
                      const Failure& failure);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_SUMMARY_H_
