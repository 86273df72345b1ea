// From policy files to a PolicySet.
#ifndef MULLIGAN_POLICY_LOADER_LOAD_H_
#define MULLIGAN_POLICY_LOADER_LOAD_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Of files that test policies and are none.
inline constexpr std::string_view kSuiteKind = "RetryPolicyTest";

// Larger policy files are refused unread.
inline constexpr size_t kMaxPolicyFileBytes = size_t{256} * 1024;
// Of all files of a folder: what comes after them is not read. Reading YAML
// takes some 0.3 s a MiB, and a server that is told to stop waits for it.
inline constexpr size_t kMaxPolicyFolderBytes = size_t{16} * 1024 * 1024;

// The text of one policy file: one RetryPolicy per YAML document.
struct PolicyText {
  // Shown in issues and explanations.
  std::string file;
  std::string yaml;
};

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

// Reads the regular *.yaml and *.yml files directly in `directory`, skipping
// names that start with a dot (a mounted ConfigMap holds its data twice) and
// test suites (RetryPolicyTest in *_test.yaml, *_test.yml), in name order. All
// of one moment: what changes while it is read is read again. An unreadable or
// empty directory and a file beyond the size bound are issues.
std::vector<PolicyText> ReadPolicyDirectory(const std::string& directory,
                                            Issues& issues);

// Reads one policy file.
std::vector<PolicyText> ReadPolicyFile(const std::string& path, Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_LOAD_H_
