// Policies for commands that work without a server: loading them, deciding with
// them, and showing the rule that decided as it stands in its file.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_
#define MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/policy_service.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/issue.h"
#include "policy/decide.h"
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

// The same for commands that take no errors: they are printed. Returns the exit
// code, kExitOk when there are policies.
int LoadValid(const std::vector<std::string>& paths, Streams& streams,
              LoadedPolicies& policies);

// What the policies answer at `now`, or now.
absl::StatusOr<v1::DecideResponse> DecideAt(
    const google::protobuf::Timestamp& now, const v1::DecideRequest& request,
    const PolicySet& policies, const DecideOptions& options = {});
absl::StatusOr<v1::DecideResponse> DecideNow(const v1::DecideRequest& request,
                                             const PolicySet& policies);

// Problems of files as messages, for programs.
google::protobuf::RepeatedPtrField<v1::PolicyIssue> ToMessages(
    const Issues& issues);

struct RuleLines {
  // Number of the first line, from 1.
  int first = 0;
  // Empty: not known.
  std::vector<std::string> lines;
};

// The YAML block that begins at `line` and `column` of `yaml`, counted from 1:
// an item of a list, the value of a key on the same line, or a map whose first
// key stands there. At most 40 lines.
RuleLines RuleLinesAt(std::string_view yaml, int line, int column);

// Those of a rule in one of `texts` or in the embedded policy.
RuleLines FindRule(const std::vector<PolicyText>& texts,
                   const v1::RuleReference& rule);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_
