// Signatures of policies compared with the built-in rows.
#ifndef MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_
#define MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_

#include "policy/base/issue.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Adds a note at each signature of `policies` for each built-in row that
// decides a text or exit code which the signature matches, too; at most three
// of a signature. The texts are the samples of the rows. Both are asked where
// each of the sources stands alone in a report; what is beside it may have the
// last word there. A signature "repeats" a row of its own cause and "shadows"
// one of another cause.
void CompareWithBuiltInRows(const PolicySet& policies, Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_BUILTIN_ROWS_H_
