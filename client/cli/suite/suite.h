// Reads test suites for policies from files, and runs them.
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

// A suite and the positions of its keys.
struct Suite {
  // The file as it was named or found.
  std::string file;
  v1::RetryPolicyTest test;
  SourceMap positions{""};
  // All problems of the file. If there are any, nothing in it runs.
  Issues issues;

  const v1::RetryPolicyTestSpec& spec() const { return test.spec(); }
  // Returns `path` relative to the suite's folder.
  std::string ResolvePath(const std::string& path) const;
  void AddError(std::string_view path, std::string message);
};

// Returns the suites among `paths`: files, and *_test.yaml and *_test.yml
// directly in folders, by name. NOT_FOUND names a path that does not exist, or
// a folder without suites.
absl::StatusOr<std::vector<std::string>> FindSuites(
    const std::vector<std::string>& paths);

// Reads a suite as strictly as a policy. Missing, duplicate, unknown and unused
// names and missing expectations are issues.
Suite ReadSuite(const std::string& file);
// Parses a suite; issues name it `file`.
Suite ParseSuite(const std::string& file,
                 const absl::StatusOr<std::string>& text);

// The issue of a suite without cases; adding one fixes it.
inline constexpr char kNoCases[] = "cases is missing, expected at least one";

// Returns ", did you mean "a"?" if a known name is near, else empty.
std::string DidYouMean(const std::string& name,
                       const std::vector<std::string>& known);

struct Mismatch {
  // The key of the expectation in the suite.
  std::string key;
  std::string expected;
  std::string found;
};

// Returns the keys of `expect` that do not hold. If an error was expected but
// there is an answer, or the reverse, that is the only mismatch. `observed_at`
// is when the failure was observed.
std::vector<Mismatch> FindMismatches(
    const v1::ExpectedAnswer& expect,
    const google::protobuf::Timestamp& observed_at,
    const absl::StatusOr<v1::DecideResponse>& answer);

using SceneObjects = std::vector<google::protobuf::Struct>;

// Returns the latest time (an RFC 3339 string) in the objects; InfinitePast if
// they have none.
absl::Time LatestTime(const SceneObjects& objects);

// By name.
using Fixtures = std::map<std::string, SceneObjects>;

// Returns the objects of all fixtures. Unreadable objects, and those without a
// place in a report, are issues.
Fixtures ReadFixtures(Suite& suite);

// Adds issues for steps without a valid report.
void CheckSteps(const Fixtures& fixtures, Suite& suite);

// The attempts of one case. Its steps are shown in order.
class Scene {
 public:
  explicit Scene(const Fixtures& fixtures) : fixtures_(fixtures) {}

  // Returns the request of a step, or of one repetition of it, without ledger
  // and policy. Fixtures describe the first step. Each later step is a new
  // attempt, unless it has `same_attempt`: its number is appended to the names
  // and UIDs of its pods, and the fixture's times move by the time since the
  // first step. INVALID_ARGUMENT names what a report does not accept.
  absl::StatusOr<v1::DecideRequest> Show(const v1::PolicyTestStep& step,
                                         bool repeated);

 private:
  SceneObjects Fixture(const v1::PolicyTestStep& step) const;
  // Returns the step's fixture as of now, then the step's own objects.
  SceneObjects Stage(const v1::PolicyTestStep& step);
  absl::Status Advance(const v1::PolicyTestStep& step, bool repeated);

  const Fixtures& fixtures_;
  // Of the current attempt.
  int attempt_ = 0;
  absl::Duration moved_;
  absl::Time first_;
  absl::Time now_ = absl::InfinitePast();
};

// Records which rules of the tested policies decided, over all suites.
class RuleCoverage {
 public:
  // Adds the policies in files; ignores the embedded one.
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

// The result of one suite, and the texts that its issues are about.
struct SuiteOutcome {
  v1::PolicyTestSuite result;
  Issues issues;
  std::vector<PolicyText> texts;
  // The policies have errors; the suite itself may be valid.
  bool policies_invalid = false;
};

// Reads and runs the suite in `file`.
SuiteOutcome RunSuite(const std::string& file, RuleCoverage& coverage);

// Runs `suite` under `policies`, instead of those it names. A case that is not
// finished at `deadline` fails.
SuiteOutcome RunSuiteUnder(const PolicySet& policies, Suite suite,
                           absl::Time deadline, RuleCoverage& coverage);

// Returns JUnit XML: a testsuite for each file, a testcase for each case. A
// suite that could not run is one testcase with an error.
std::string ToJunit(const v1::PolicyTestReport& report);

// Returns "step 2, repetition 3: action is FAIL, expected RETRY".
std::string DescribeFailure(const v1::PolicyTestFailure& failure);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_SUITE_H_
