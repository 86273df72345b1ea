// Loads the texts of policy files into a PolicySet.
#ifndef MULLIGAN_POLICY_LOADER_LOAD_H_
#define MULLIGAN_POLICY_LOADER_LOAD_H_

#include <memory>
#include <string>
#include <vector>

#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/loader/read_files.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Returns the policies embedded in the binary (policy/default_policy.yaml),
// with the file name "<embedded>".
PolicyText EmbeddedPolicy();

// Returns the policy `native` (policy/native_policy.yaml), likewise.
PolicyText EmbeddedNativePolicy();

// Parses, compiles and checks `texts` as one set. Returns null if any file has
// an error, or if the watch of `allowance` ends the loading; `issues` are then
// incomplete.
//
// `issues` receives all errors and warnings in file and line order, at most 100
// per file. If there is no catch-all policy, the embedded default policy is
// added; so is the embedded policy `native`, unless the set has one of that
// name. `allowance` is charged for the patterns.
std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues,
    PatternAllowance& allowance);

// Does the same within kMaxCompileSteps.
std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues);

// Returns the revision of a set that consists of `texts` alone: the start of a
// SHA-256 over file names (without folders) and contents, as 16 hex digits.
std::string PolicyRevision(const std::vector<PolicyText>& texts);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_LOAD_H_
