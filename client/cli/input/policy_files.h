// Policies for commands that work without a server.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_
#define MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/issue.h"
#include "policy/loader/load.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

struct LoadedPolicies {
  // Null when the issues have errors.
  std::unique_ptr<const PolicySet> set;
  Issues issues;
  std::vector<PolicyText> texts;
  // Files named or found, those that could not be read included.
  size_t files = 0;
};

// Loads files, directories and "-" together, as one server would; the embedded
// default policy alone for no paths. NOT_FOUND names a path that does not
// exist; what is wrong inside the files is in the issues.
absl::StatusOr<LoadedPolicies> LoadPolicyPaths(
    const std::vector<std::string>& paths, std::istream& standard_input);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_
