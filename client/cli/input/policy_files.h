// Policies for commands that work without a server: loads them, decides with
// them and finds the text of the rule that decided.
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
  // Null if `issues` has errors.
  std::unique_ptr<const PolicySet> set;
  Issues issues;
  std::vector<PolicyText> texts;
  // Files named or found, including unreadable ones.
  size_t files = 0;
};

// Loads files, directories and "-" together, as a server does; without paths,
// only the embedded default policy. NOT_FOUND names a path that does not exist.
// Errors inside files are in `issues`.
absl::StatusOr<LoadedPolicies> LoadPolicyPaths(
    const std::vector<std::string>& paths, std::istream& standard_input);

// Loads policies for commands that accept no errors: prints them and returns
// the exit code, kExitOk if there are policies.
int LoadValid(const std::vector<std::string>& paths, Streams& streams,
              LoadedPolicies& policies);

// Decides `request` at `now`, or at the current time.
absl::StatusOr<v1::DecideResponse> DecideAt(
    const google::protobuf::Timestamp& now, const v1::DecideRequest& request,
    const PolicySet& policies, const DecideOptions& options = {});
absl::StatusOr<v1::DecideResponse> DecideNow(const v1::DecideRequest& request,
                                             const PolicySet& policies);

// Converts issues to messages for programs.
google::protobuf::RepeatedPtrField<v1::PolicyIssue> ToMessages(
    const Issues& issues);

struct RuleLines {
  // Number of the first line, from 1.
  int first = 0;
  // Empty if unknown.
  std::vector<std::string> lines;
};

// Returns the YAML block at `line` and `column` of `yaml`, counted from 1: a
// list item, the value of a key on the same line, or a map whose first key is
// there. At most 40 lines.
RuleLines RuleLinesAt(std::string_view yaml, int line, int column);

// Returns the lines of a rule in one of `texts` or in the embedded policy.
RuleLines FindRule(const std::vector<PolicyText>& texts,
                   const v1::RuleReference& rule);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_POLICY_FILES_H_
