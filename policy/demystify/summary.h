// A diagnosis in one sentence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SUMMARY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SUMMARY_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/conclusion.h"

namespace mulligan::demystify {

// What happened, to whom: Diagnosis.summary. The culprit is that of
// `diagnosis`.
std::string Summarize(const v1::FailureReport& report,
                      const Conclusion& conclusion,
                      const v1::Diagnosis& diagnosis);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SUMMARY_H_
