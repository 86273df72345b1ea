// What a row says to do.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_REMEDIES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_REMEDIES_H_

#include <string>

#include "policy/base/issue.h"
#include "policy/demystify/signatures/compiler/signature_rows.pb.h"

namespace mulligan::demystify {

// Adds an error for each remedy of the row at `at` that cannot be filled: its
// pattern, a group it does not have, a word in braces that stands for nothing.
void CheckRemedies(const signatures::Row& row, const std::string& at,
                   IssueReporter& report);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_REMEDIES_H_
