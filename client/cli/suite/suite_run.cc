
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/print/html.h"
#include "client/cli/suite/suite.h"

namespace mulligan::cli {
namespace {

constexpr char kDefaultRule[] = "default";

using Names = std::vector<std::string>;

void CheckName(const char* what, const std::string& name, const Names& known,
               const std::string& path, Suite& suite) {
  if (name.empty() || std::ranges::find(known, name) != known.end()) return;
  suite.AddError(
      path, absl::StrFormat("no policy under test has the %s \"%s\"%s", what,
                            name, DidYouMean(name, known)));
}

// Adds an error for each name in an expectation that no answer can have.
void CheckNames(const PolicySet& set, Suite& suite) {
  Names policies;
  Names rules;
  Names budgets;
  for (const auto& policy : set.policies()) {
    policies.push_back(policy->name());
    for (const CompiledRule& rule : policy->compiled().rules) {
      rules.push_back(rule.reference.rule());
    }
    for (const CompiledBudget& budget : policy->compiled().budgets) {
      budgets.push_back(budget.name);
    }
  }
  rules.emplace_back(kDefaultRule);
  Names limits = budgets;
  limits.emplace_back("maxAttempts");
  const auto check_budgets = [&](const auto& by_budget,
                                 const std::string& path) {
    for (const auto& [budget, value] : by_budget) {
      CheckName("budget", budget, budgets,
                absl::StrFormat("%s[%s]", path, budget), suite);
    }
  };
  for (int i = 0; i < suite.spec().cases_size(); ++i) {
    const v1::PolicyTestCase& test = suite.spec().cases(i);
    const std::string path = absl::StrFormat("spec.cases[%d]", i);
    check_budgets(test.limits(), path + ".limits");
    for (int j = 0; j < test.steps_size(); ++j) {
      const v1::ExpectedAnswer& expect = test.steps(j).expect();
      // The unknown policy may be what is tested.
      if (expect.error().empty()) {
        CheckName("policy", test.policy(), policies, path + ".policy", suite);
      }
      const std::string at = absl::StrFormat("%s.steps[%d].expect", path, j);
      CheckName("policy", expect.policy(), policies, at + ".policy", suite);
      CheckName("rule", expect.rule(), rules, at + ".rule", suite);
      CheckName("budget", expect.budget(), budgets, at + ".budget", suite);
      CheckName("limit", expect.exhausted(), limits, at + ".exhausted", suite);
      check_budgets(expect.used(), at + ".used");
      check_budgets(expect.limits(), at + ".limits");
    }
  }
}

// Runs one case, the attempts of one workload.
class CaseRun {
 public:
  CaseRun(const Suite& suite, const Fixtures& fixtures, int number,
          const PolicySet& policies, absl::Time deadline,
          RuleCoverage& coverage)
      : suite_(suite),
        test_(suite.spec().cases(number)),
        path_(absl::StrFormat("spec.cases[%d]", number)),
        policies_(policies),
        deadline_(deadline),
        coverage_(coverage),
        scene_(fixtures) {}

  v1::PolicyTestCaseResult Run() {
    result_.set_name(test_.name());
    result_.set_line(suite_.positions.Find(path_).line);
    for (int i = 0; i < test_.steps_size(); ++i) {
      const int times = std::max(1, test_.steps(i).times());
      for (int repetition = 1; repetition <= times; ++repetition) {
        if (Step(i, repetition, times)) continue;
        // Without an answer there is no ledger for the next step.
        if (i + 1 < test_.steps_size()) {
          AddFailure(
              i + 1, 0,
              {"steps", "an answer", "not reached: the step before has none"});
        }
        return std::move(result_);
      }
    }
    return std::move(result_);
  }

 private:
  // Returns false if the case cannot continue.
  bool Step(int number, int repetition, int times) {
    const v1::PolicyTestStep& step = test_.steps(number);
    const int shown = times > 1 ? repetition : 0;
    if (absl::Now() > deadline_) {
      AddFailure(number, shown,
                 {"steps", "an answer in time", "not reached: out of time"});
      return false;
    }
    absl::StatusOr<v1::DecideRequest> request =
        scene_.Show(step, repetition > 1);
    if (!request.ok()) {
      AddFailure(number, shown,
                 {"what is shown", "objects of one report",
                  std::string(request.status().message())});
      return false;
    }
    if (ledger_.has_value()) *request->mutable_ledger() = *ledger_;
    if (!test_.policy().empty()) request->set_policy(test_.policy());
    request->set_replaces_operator(test_.replaces_operator());
    *request->mutable_limits() = test_.limits();
    const absl::StatusOr<v1::DecideResponse> answer =
        DecideAt(request->report().observed_at(), *request, policies_);
    for (Mismatch& mismatch : FindMismatches(
             step.expect(), request->report().observed_at(), answer)) {
      AddFailure(number, shown, std::move(mismatch));
    }
    if (!answer.ok()) return !step.expect().error().empty();
    if (answer->accounting().duplicate() && !step.same_attempt() &&
        !step.expect().has_duplicate()) {
      AddFailure(number, shown,
                 {"after", "a new attempt",
                  "too short: attempts whose lifetimes overlap are one "
                  "failure, which was already reported"});
    }
    coverage_.OnAnswer(*answer);
    ledger_ = answer->ledger();
    return true;
  }

  void AddFailure(int step, int repetition, Mismatch mismatch) {
    v1::PolicyTestFailure& failure = *result_.add_failures();
    const std::string path = absl::StrFormat("%s.steps[%d]", path_, step);
    failure.set_step(step + 1);
    failure.set_repetition(repetition);
    failure.set_line(
        suite_.positions.Find(path + ".expect." + mismatch.key).line);
    failure.set_key(std::move(mismatch.key));
    failure.set_expected(std::move(mismatch.expected));
    failure.set_found(std::move(mismatch.found));
  }

  const Suite& suite_;
  const v1::PolicyTestCase& test_;
  const std::string path_;
  const PolicySet& policies_;
  const absl::Time deadline_;
  RuleCoverage& coverage_;
  Scene scene_;
  std::optional<v1::BudgetLedger> ledger_;
  v1::PolicyTestCaseResult result_;
};

// Loads the policies that the suite names, or those in its folder.
absl::StatusOr<LoadedPolicies> LoadPoliciesOf(const Suite& suite) {
  std::vector<std::string> paths;
  for (const std::string& path : suite.spec().policies()) {
    paths.push_back(suite.ResolvePath(path));
  }
  if (paths.empty()) {
    const auto folder = std::filesystem::path(suite.file).parent_path();
    paths.push_back(folder.empty() ? "." : folder.string());
  }
  return LoadPolicyPaths(paths, std::cin);
}

// Returns the outcome of a suite before it runs.
SuiteOutcome OutcomeOf(const Suite& suite) {
  SuiteOutcome outcome;
  outcome.result.set_file(suite.file);
  outcome.result.set_name(suite.test.metadata().name());
  outcome.issues = suite.issues;
  return outcome;
}

std::string CaseXml(const v1::PolicyTestSuite& suite,
                    const v1::PolicyTestCaseResult& result) {
  std::string xml = absl::StrFormat(
      "    <testcase classname=\"%s\" name=\"%s\" file=\"%s\" line=\"%d\"",
      Escaped(suite.name()), Escaped(result.name()), Escaped(suite.file()),
      result.line());
  if (result.failures().empty()) return xml + "/>\n";
  xml += ">\n";
  for (const v1::PolicyTestFailure& failure : result.failures()) {
    absl::StrAppendFormat(&xml,
                          "      <failure message=\"%s\">%s:%d</failure>\n",
                          Escaped(DescribeFailure(failure)),
                          Escaped(suite.file()), failure.line());
  }
  return xml + "    </testcase>\n";
}

std::string SuiteXml(const v1::PolicyTestSuite& suite) {
  int failures = 0;
  std::string cases;
  for (const v1::PolicyTestCaseResult& result : suite.cases()) {
    if (!result.failures().empty()) ++failures;
    cases += CaseXml(suite, result);
  }
  const bool ran = suite.issues().empty();
  if (!ran) {
    cases = "    <testcase name=\"can be run\">\n";
    for (const v1::PolicyIssue& issue : suite.issues()) {
      absl::StrAppendFormat(
          &cases, "      <error message=\"%s\">%s:%d</error>\n",
          Escaped(issue.message()), Escaped(issue.file()), issue.line());
    }
    cases += "    </testcase>\n";
  }
  return absl::StrFormat(
      "  <testsuite name=\"%s\" file=\"%s\" tests=\"%d\" failures=\"%d\" "
      "errors=\"%d\">\n%s  </testsuite>\n",
      Escaped(suite.name()), Escaped(suite.file()),
      ran ? suite.cases_size() : 1, failures, ran ? 0 : 1, cases);
}

}  // namespace

void RuleCoverage::AddPolicies(const PolicySet& policies) {
  const std::string embedded = EmbeddedPolicy().file;
  for (const auto& policy : policies.policies()) {
    const std::string& file = policy->positions().file();
    if (file == embedded) continue;
    auto& rules = policies_[{file, policy->name()}];
    if (!rules.empty()) continue;
    for (const CompiledRule& rule : policy->compiled().rules) {
      rules.push_back({rule.reference});
    }
    if (!policy->compiled().fallback_reference.rule().empty()) {
      rules.push_back({policy->compiled().fallback_reference});
    }
  }
}

void RuleCoverage::OnAnswer(const v1::DecideResponse& answer) {
  const v1::RuleReference& decided = answer.explanation().matched_rule();
  const auto policy = policies_.find({decided.file(), decided.policy()});
  if (policy == policies_.end()) return;
  for (Rule& rule : policy->second) {
    if (rule.reference.rule() == decided.rule()) rule.decided = true;
  }
}

std::vector<v1::PolicyCoverage> RuleCoverage::Report() const {
  std::vector<v1::PolicyCoverage> report;
  for (const auto& [key, rules] : policies_) {
    v1::PolicyCoverage& coverage = report.emplace_back();
    coverage.set_file(key.first);
    coverage.set_policy(key.second);
    coverage.set_rules(static_cast<int>(rules.size()));
    for (const Rule& rule : rules) {
      if (rule.decided) {
        coverage.set_decided(coverage.decided() + 1);
      } else {
        *coverage.add_never_decided() = rule.reference;
      }
    }
  }
  return report;
}

SuiteOutcome RunSuite(const std::string& file, RuleCoverage& coverage) {
  Suite suite = ReadSuite(file);
  SuiteOutcome outcome = OutcomeOf(suite);
  if (HasErrors(suite.issues)) return outcome;
  absl::StatusOr<LoadedPolicies> policies = LoadPoliciesOf(suite);
  if (!policies.ok()) {
    suite.AddError("spec.policies", std::string(policies.status().message()));
    outcome.issues = suite.issues;
    return outcome;
  }
  outcome.texts = policies->texts;
  if (policies->set == nullptr) {
    outcome.policies_invalid = true;
    outcome.issues = policies->issues;
    return outcome;
  }
  SuiteOutcome ran = RunSuiteUnder(*policies->set, std::move(suite),
                                   absl::InfiniteFuture(), coverage);
  ran.texts = std::move(outcome.texts);
  return ran;
}

SuiteOutcome RunSuiteUnder(const PolicySet& policies, Suite suite,
                           absl::Time deadline, RuleCoverage& coverage) {
  SuiteOutcome outcome = OutcomeOf(suite);
  if (HasErrors(suite.issues)) return outcome;
  CheckNames(policies, suite);
  const Fixtures fixtures = ReadFixtures(suite);
  if (!HasErrors(suite.issues)) CheckSteps(fixtures, suite);
  outcome.issues = suite.issues;
  if (HasErrors(suite.issues)) return outcome;
  coverage.AddPolicies(policies);
  for (int i = 0; i < suite.spec().cases_size(); ++i) {
    *outcome.result.add_cases() =
        CaseRun(suite, fixtures, i, policies, deadline, coverage).Run();
  }
  return outcome;
}

std::string ToJunit(const v1::PolicyTestReport& report) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const v1::PolicyTestSuite& suite : report.suites()) {
    xml += SuiteXml(suite);
  }
  return xml + "</testsuites>\n";
}

std::string DescribeFailure(const v1::PolicyTestFailure& failure) {
  std::string text = absl::StrCat("step ", failure.step());
  if (failure.repetition() > 0) {
    absl::StrAppend(&text, ", repetition ", failure.repetition());
  }
  return absl::StrCat(text, ": ", failure.key(), " is ", failure.found(),
                      ", expected ", failure.expected());
}

}  // namespace mulligan::cli
