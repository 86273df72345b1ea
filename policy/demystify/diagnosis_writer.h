// Writes a conclusion down.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_DIAGNOSIS_WRITER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_DIAGNOSIS_WRITER_H_

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Fills `diagnosis`, which must be empty. `full` asks for the causes that did
// not win even when the answer is confident.
void WriteDiagnosis(const Context& context, const Conclusion& conclusion,
                    bool full, v1::Diagnosis& diagnosis);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_DIAGNOSIS_WRITER_H_
