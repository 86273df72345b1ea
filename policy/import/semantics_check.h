// What a policy says about the set-up of operators (NativeSemantics), checked
// when the policy is loaded instead of with the first failure.
#ifndef MULLIGAN_POLICY_IMPORT_SEMANTICS_CHECK_H_
#define MULLIGAN_POLICY_IMPORT_SEMANTICS_CHECK_H_

#include <string>

#include "mulligan/v1/native.pb.h"
#include "policy/base/issue_reporter.h"

namespace mulligan {

// Reports, below `path`: operators, versions keys and settings that nobody
// reads as errors; releases and values that are passed over, and feature gates
// that change nothing here, as warnings.
void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_IMPORT_SEMANTICS_CHECK_H_
