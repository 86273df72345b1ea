// Runs test suites, counts which rules decided, and tells the results.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_SUITE_RUN_H_
#define MULLIGAN_CLIENT_CLI_SUITE_SUITE_RUN_H_

#include <map>
#include <string>
#include <vector>

#include "client/cli/suite/suite.h"
#include "mulligan/v1/policy_test.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/loader/load.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// Which rules of the tested policies decided, over all suites.
class RuleCoverage {
 public:
  // Of the policies in files; what is embedded is not looked at.
  void AddPolicies(const PolicySet& policies);
  void OnAnswer(const v1::DecideResponse& answer);

  std::vector<v1::PolicyCoverage> Report() const;

 private:
  // File and name.
  using Key = std::pair<std::string, std::string>;
  struct Rule {
    v1::RuleReference reference;
    bool decided = false;
  };
  std::map<Key, std::vector<Rule>> policies_;
};

// What one suite found, and the texts that its issues are about.
struct SuiteOutcome {
  v1::PolicyTestSuite result;
  Issues issues;
  std::vector<PolicyText> texts;
  // The policies have errors; the suite itself may be fine.
  bool policies_invalid = false;
};

// Reads and runs the suite in `file`.
SuiteOutcome RunSuite(const std::string& file, RuleCoverage& coverage);

// JUnit XML: a testsuite for each file, a testcase for each case. A suite that
// could not run is one testcase with an error.
std::string ToJunit(const v1::PolicyTestReport& report);

// "step 2, repetition 3: action is FAIL, expected RETRY".
std::string DescribeFailure(const v1::PolicyTestFailure& failure);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_SUITE_RUN_H_
