// From the texts of policy files to a PolicySet.
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

// The policies that are compiled into the binary (policy/default_policy.yaml),
// under the file name "<embedded>".
PolicyText EmbeddedPolicy();

// The policy `native` (policy/native_policy.yaml), under the same file name.
PolicyText EmbeddedNativePolicy();

// Parses, compiles and lints `texts` as one set, all or nothing: null when any
// file has an error. `issues` receives every problem of every file, warnings
// too, in file and line order, at most 100 of each file. When no text holds a
// catch-all policy, the embedded default policy completes the set. The embedded
// policy `native` joins every set that has none of that name.
//
// The revision of the set is the start of a SHA-256 over file names (without
// folders) and contents, as 16 hexadecimal digits.
//
// What the patterns cost is taken from `allowance`. Null when its watch ends
// the loading; what the issues say then is not all.
std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues,
    PatternAllowance& allowance);

// The same within kMaxCompileSteps.
std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues);

// The revision that a set of `texts` alone would have: the start of a SHA-256
// over file names (without folders) and contents.
std::string PolicyRevision(const std::vector<PolicyText>& texts);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_LOAD_H_
