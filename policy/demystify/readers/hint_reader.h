// Diagnoses by others (FailureReport.hints).
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_HINT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_HINT_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds a fact for each hint, in order, with its confidence. It decides nothing
// until weighed against the answer (Round::kOthers).
void ReadHints(const Context& context, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HINT_READER_H_
