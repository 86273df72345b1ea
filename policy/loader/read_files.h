// The texts of policy files.
#ifndef MULLIGAN_POLICY_LOADER_READ_FILES_H_
#define MULLIGAN_POLICY_LOADER_READ_FILES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/issue.h"

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

#endif  // MULLIGAN_POLICY_LOADER_READ_FILES_H_
