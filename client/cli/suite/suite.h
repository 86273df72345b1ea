// Test suites for policies, as they stand in files, and running them.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_
#define MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/struct.pb.h"
#include "mulligan/v1/policy_test.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/issue.h"
#include "policy/loader/load.h"
#include "policy/rules/policy_set.h"

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
// The same of a text; `file` is what issues call it.
Suite ParseSuite(const std::string& file,
                 const absl::StatusOr<std::string>& text);

// What a suite without cases is told; the first one mends it.
inline constexpr char kNoCases[] = "cases is missing, expected at least one";

// ", did you mean "a"?", where one of those that are known is near.
std::string DidYouMean(const std::string& name,
                       const std::vector<std::string>& known);

struct Mismatch {
  // Key of the expectation, as the suite writes it.
  std::string key;
  std::string expected;
  std::string found;
};

// Every key of `expect` that does not hold, in schema order. An error where an
// answer was expected, and the other way round, is the only mismatch. What was
// asked about was observed at `observed_at`.
std::vector<Mismatch> FindMismatches(
    const v1::ExpectedAnswer& expect,
    const google::protobuf::Timestamp& observed_at,
    const absl::StatusOr<v1::DecideResponse>& answer);

using SceneObjects = std::vector<google::protobuf::Struct>;

// The latest time (a string as RFC 3339 writes it) anywhere in the objects;
// InfinitePast when there is none.
absl::Time LatestTime(const SceneObjects& objects);

// By name.
using Fixtures = std::map<std::string, SceneObjects>;

// The objects of all fixtures. What cannot be read, or has no place in a
// report, is an issue.
Fixtures ReadFixtures(Suite& suite);

// Issues of steps that make no report.
void CheckSteps(const Fixtures& fixtures, Suite& suite);

// The attempts of one case. Asked for its steps in order.
class Scene {
 public:
  explicit Scene(const Fixtures& fixtures) : fixtures_(fixtures) {}

  // The request of a step, or of one repetition of it; without ledger and
  // policy. Fixtures are written as of the first step. Each later step is a new
  // attempt: names and UIDs of the pods end with its number, and all times are
  // as much later as the question is. `step.same_attempt`: still that of the
  // step before.
  //
  // INVALID_ARGUMENT tells what has no place in a report.
  absl::StatusOr<v1::DecideRequest> Show(const v1::PolicyTestStep& step,
                                         bool repeated);

 private:
  SceneObjects Fixture(const v1::PolicyTestStep& step) const;
  // The fixture of the step as it is shown now, the step's own objects behind.
  SceneObjects Stage(const v1::PolicyTestStep& step);
  absl::Status Advance(const v1::PolicyTestStep& step, bool repeated);

  const Fixtures& fixtures_;
  // Of the attempt at hand.
  int attempt_ = 0;
  absl::Duration moved_;
  absl::Time first_;
  absl::Time now_ = absl::InfinitePast();
};

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

// Runs `suite` under `policies`, whichever it names. A case that is not over
// at `deadline` fails.
SuiteOutcome RunSuiteUnder(const PolicySet& policies, Suite suite,
                           absl::Time deadline, RuleCoverage& coverage);

// JUnit XML: a testsuite for each file, a testcase for each case. A suite that
// could not run is one testcase with an error.
std::string ToJunit(const v1::PolicyTestReport& report);

// "step 2, repetition 3: action is FAIL, expected RETRY".
std::string DescribeFailure(const v1::PolicyTestFailure& failure);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_
