// Errors of the API when an object was created.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_CREATION_ERROR_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_CREATION_ERROR_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds facts from report.creation_error.
void ReadCreationError(const Context& context, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_CREATION_ERROR_READER_H_
