// The texts of policy files.
#ifndef MULLIGAN_POLICY_LOADER_READ_FILES_H_
#define MULLIGAN_POLICY_LOADER_READ_FILES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/issue.h"

namespace mulligan {

// Kind of a test suite, which is not a policy.
inline constexpr std::string_view kSuiteKind = "RetryPolicyTest";

// Larger policy files are refused unread.
inline constexpr size_t kMaxPolicyFileBytes = size_t{256} * 1024;
// Bound on all files of a folder; files beyond it are not read. Reading YAML
// takes about 0.3 s per MiB, and shutdown waits for it.
inline constexpr size_t kMaxPolicyFolderBytes = size_t{16} * 1024 * 1024;

// The text of one policy file, with one RetryPolicy per YAML document.
struct PolicyText {
  // Shown in issues and explanations.
  std::string file;
  std::string yaml;
};

// Reads the regular *.yaml and *.yml files directly in `directory`, in name
// order. Skips names with a leading dot (a mounted ConfigMap holds its data
// twice) and test suites (RetryPolicyTest in *_test.yaml, *_test.yml). Reads
// again if files change meanwhile, so that all are from the same moment. An
// unreadable or empty directory and a file above the size bound are issues.
std::vector<PolicyText> ReadPolicyDirectory(const std::string& directory,
                                            Issues& issues);

std::vector<PolicyText> ReadPolicyFile(const std::string& path, Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_READ_FILES_H_
