// Writes a failure down as the diagnosis of an answer.
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
  // And texts: evidence, the summary, and of unsure answers other causes.
  kSummary,
  // And other causes of sure answers.
  kFull,
};

// Fills `diagnosis`, which must be empty, but for what is made of the whole
// answer (problem, problem_evidence, first_step). REQUIRES: `failure` is of
// `findings`, or of them and what the ledger makes of it.
void WriteDiagnosis(const Findings& findings, const Failure& failure,
                    Detail detail, v1::Diagnosis& diagnosis);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_DIAGNOSIS_WRITER_H_
