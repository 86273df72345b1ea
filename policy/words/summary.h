// The summary of a failure in one sentence.
#ifndef MULLIGAN_POLICY_WORDS_SUMMARY_H_
#define MULLIGAN_POLICY_WORDS_SUMMARY_H_

#include <string>

#include "mulligan/v1/report.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/failure.h"

namespace mulligan::words {

// Returns what happened to which object, for Diagnosis.summary.
std::string Summarize(const v1::FailureReport& report,
                      const demystify::Conclusion& conclusion,
                      const Failure& failure);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_SUMMARY_H_
