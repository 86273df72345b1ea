// The sentence of a decision.
#ifndef MULLIGAN_POLICY_WORDS_SENTENCE_H_
#define MULLIGAN_POLICY_WORDS_SENTENCE_H_

#include <string>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"

namespace mulligan {

// Returns for example "Out of memory in container main (OOMKilled, exit 137):
// retry the pod in 12s with memory x1.5; charged to memory (1 of 2 used)." It
// depends only on what the ledger keeps, so that a repeated report gets the
// same sentence. `record` need not be in a ledger. Of `diagnosis` it uses the
// summary and an incident's reason, of `stake` the avoidable hours.
std::string SentenceOf(const v1::Diagnosis& diagnosis,
                       const v1::Decision& decision,
                       const v1::AttemptRecord& record,
                       const v1::Stake& stake = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_WORDS_SENTENCE_H_
