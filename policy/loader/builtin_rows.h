// Signatures of policies compared with the built-in rows.
#ifndef MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_
#define MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_

#include "policy/base/issue.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Adds a note to each signature of `policies` for each built-in row that
// decides a text or exit code that the signature also matches, at most three
// per signature. Tries the rows' samples, each as the only evidence of a
// report. A signature "repeats" a row of its own cause and "shadows" a row of
// another cause.
void CompareWithBuiltInRows(const PolicySet& policies, Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_
