// Facts from Jobs and the objects above the pods.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds facts from Jobs and all owners (Owners::views).
void ReadOperators(const Context& context, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_
