// Test suites for policies, as they stand in files.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_
#define MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/policy_test.pb.h"
#include "policy/base/issue.h"
#include "policy/base/source_map.h"

namespace mulligan::cli {

// One suite that was read, and where its keys stand.
struct Suite {
  // File as it was named or found.
  std::string file;
  v1::RetryPolicyTest test;
  SourceMap positions{""};
  // Every problem of the file; with one, nothing of it runs.
  Issues issues;

  const v1::RetryPolicyTestSpec& spec() const { return test.spec(); }
  // A path in the file, seen from its folder.
  std::string Beside(const std::string& path) const;
  void AddError(std::string_view path, std::string message);
};

// The suites among `paths`: files, and *_test.yaml and *_test.yml directly in
// folders, in name order. NOT_FOUND names a path that does not exist, or a
// folder without suites.
absl::StatusOr<std::vector<std::string>> FindSuites(
    const std::vector<std::string>& paths);

// Reads a suite as strictly as a policy; what it lacks, names twice, names
// without having it, has without using it or does not expect are issues.
Suite ReadSuite(const std::string& file);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_
