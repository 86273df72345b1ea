// From policy files to a PolicySet.
#ifndef MULLIGAN_POLICY_LOADER_LOAD_H_
#define MULLIGAN_POLICY_LOADER_LOAD_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy_set.h"
#include "policy/rules/issue.h"

namespace mulligan {

// The text of one policy file. May hold several YAML documents.
struct PolicyText {
  // Shown in issues and explanations.
  std::string file;
  std::string yaml;
};

// The policies that are compiled into the binary (policy/default_policy.yaml),
// under the file name "<embedded>".
PolicyText EmbeddedPolicy();

// Parses, compiles and lints `texts` as one set, all or nothing: null when any
// file has an error. `issues` receives every problem of every file, warnings
// too, in file and line order. When no text holds a catch-all policy, the
// embedded default policy completes the set.
std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues);

// Reads the regular *.yaml and *.yml files directly in `directory`, skipping
// names that start with a dot (a mounted ConfigMap holds its data twice), in
// name order. An unreadable or empty directory and a file beyond the size
// bound are issues.
std::vector<PolicyText> ReadPolicyDirectory(const std::string& directory,
                                            Issues& issues);

// Reads one policy file.
std::vector<PolicyText> ReadPolicyFile(const std::string& path,
                                       Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_LOAD_H_
