// Writes a failure as the diagnosis of an answer.
#ifndef MULLIGAN_POLICY_ANSWER_DIAGNOSIS_WRITER_H_
#define MULLIGAN_POLICY_ANSWER_DIAGNOSIS_WRITER_H_

#include <cstdint>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/demystify.h"
#include "policy/demystify/failure.h"

namespace mulligan {

// How much of a diagnosis is written (DecideRequest.explain).
enum class Detail : std::uint8_t {
  // Codes, numbers and names.
  kCodes,
  // Also texts: evidence, the summary and, if unsure, other causes.
  kSummary,
  // Also other causes of a sure diagnosis.
  kFull,
};

// Fills `diagnosis` except for the fields that need the whole answer (problem,
// problem_evidence, first_step).
// REQUIRES: `diagnosis` is empty, and `failure` comes from `findings`, possibly
// changed by the ledger.
void WriteDiagnosis(const Findings& findings, const Failure& failure,
                    Detail detail, v1::Diagnosis& diagnosis);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_DIAGNOSIS_WRITER_H_
