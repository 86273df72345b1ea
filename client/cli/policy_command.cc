// `mulligan policy`, with `check`, `show` and `test`.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "absl/strings/str_format.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/commands.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/print/layout.h"
#include "client/cli/suite/suite.h"
#include "mulligan/v1/policy_service.pb.h"
#include "policy/loader/builtin_rows.h"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

struct PolicyCheckOptions {
  // Files and directories, loaded together.
  std::vector<std::string> paths;
  OutputOptions output;
  // Warnings are errors.
  bool strict = false;
};

v1::CheckPolicyResponse ToMessage(const LoadedPolicies& loaded) {
  v1::CheckPolicyResponse response;
  response.set_valid(loaded.set != nullptr);
  *response.mutable_issues() = ToMessages(loaded.issues);
  return response;
}

std::string Counted(int count, const std::string& noun) {
  return absl::StrFormat("%d %s%s", count, noun, count == 1 ? "" : "s");
}

// Adds notes on valid policies, and sorts all issues by file and line.
void AddNotes(LoadedPolicies& loaded) {
  CompareWithBuiltInRows(*loaded.set, loaded.issues);
  const auto place = [&texts = loaded.texts](const Issue& issue) {
    const auto file = std::ranges::find(texts, issue.file, &PolicyText::file);
    return std::tuple(file - texts.begin(), issue.position.line,
                      issue.position.column);
  };
  std::ranges::stable_sort(loaded.issues, {}, place);
}

// Prints all issues, or a CheckPolicyResponse. Returns the exit code.
int RunPolicyCheck(PolicyCheckOptions& options, Streams& streams) {
  absl::StatusOr<LoadedPolicies> loaded =
      LoadPolicyPaths(options.paths, streams.in);
  if (!loaded.ok()) return Fail(streams, loaded.status());
  const bool flawless = loaded->set != nullptr && loaded->issues.empty();
  if (loaded->set != nullptr) AddNotes(*loaded);
  if (!IsForPeople(options.output.format)) {
    const absl::StatusOr<std::string> text =
        PrintProtoAs(options.output.format, ToMessage(*loaded));
    if (!text.ok()) return Fail(streams, text.status());
    streams.out << *text;
  } else {
    streams.out << FormatIssues(loaded->issues, loaded->texts,
                                options.output.color)
                << absl::StrFormat(
                       "%s: %s\n",
                       Counted(static_cast<int>(loaded->files), "file"),
                       SummarizeIssues(loaded->issues));
  }
  if (const int code = FinishOutput(streams); code != kExitOk) return code;
  const bool valid = options.strict ? flawless : loaded->set != nullptr;
  return valid ? kExitOk : kExitPolicyInvalid;
}

void AddCheck(CLI::App& policy, Streams& streams, int& code) {
  const auto [check, options] = AddCommand(
      "check", "Print every problem of policy files, loaded together",
      R"(Example:
  mulligan policy check --strict policies/)",
      RunPolicyCheck, policy, streams, code);
  AddOption(check, "PATH", options.paths, "Files and directories", "PATH")
      ->required();
  check.add_flag("--strict", options.strict, "Fail on warnings, too");
  AddOutputFlags(check, options.output);
}

void AddShow(CLI::App& policy, Streams& streams, int& code) {
  CLI::App& show =
      *policy.add_subcommand("show", "Print the embedded default policy");
  show.footer(R"(Example:
  mulligan policy show | less)");
  show.callback([&streams, &code] {
    streams.out << EmbeddedPolicy().yaml;
    code = FinishOutput(streams);
  });
}

struct PolicyTestOptions {
  // Suites, and folders with suites and policies.
  std::vector<std::string> paths;
  OutputOptions output;
  // File for the results as JUnit XML; empty for none.
  std::string junit;
  // The required percentage of rules that decide a case, 0 to 100.
  int coverage_min = 0;
};

struct Totals {
  int cases = 0;
  int failed = 0;
  int rules = 0;
  int decided = 0;

  int percent() const { return rules == 0 ? 100 : decided * 100 / rules; }
};

Totals TotalsOf(const v1::PolicyTestReport& report) {
  Totals totals;
  for (const v1::PolicyTestSuite& suite : report.suites()) {
    for (const v1::PolicyTestCaseResult& result : suite.cases()) {
      ++totals.cases;
      if (!result.failures().empty()) ++totals.failed;
    }
  }
  for (const v1::PolicyCoverage& coverage : report.coverage()) {
    totals.rules += coverage.rules();
    totals.decided += coverage.decided();
  }
  return totals;
}

void PrintSuite(const SuiteOutcome& outcome, Layout& page) {
  const v1::PolicyTestSuite& suite = outcome.result;
  page.Line(suite.file(), Style::kBold);
  for (const v1::PolicyTestCaseResult& result : suite.cases()) {
    const bool passed = result.failures().empty();
    page.Hanging(passed ? "  ok    " : "  FAIL  ", result.name(),
                 passed ? Style::kGreen : Style::kRed);
    for (const v1::PolicyTestFailure& failure : result.failures()) {
      page.Paragraph(8, absl::StrFormat("line %d, %s", failure.line(),
                                        DescribeFailure(failure)));
    }
  }
}

void PrintSummary(const v1::PolicyTestReport& report, const Totals& totals,
                  Layout& page) {
  page.BlankLine();
  page.Line(absl::StrFormat("%s, %s: %d passed, %d failed",
                            Counted(report.suites_size(), "suite"),
                            Counted(totals.cases, "case"),
                            totals.cases - totals.failed, totals.failed));
  page.Line(absl::StrFormat("%d of %s decided (%d %%)", totals.decided,
                            Counted(totals.rules, "rule"), totals.percent()));
  for (const v1::PolicyCoverage& coverage : report.coverage()) {
    for (const v1::RuleReference& rule : coverage.never_decided()) {
      page.Line(absl::StrFormat("  never: %s/%s (%s:%d)", rule.policy(),
                                rule.rule(), rule.file(), rule.line()));
    }
  }
}

// Policies next to the suites count as uncovered if no suite loads them.
void AddUntested(const std::vector<std::string>& paths,
                 RuleCoverage& coverage) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) continue;
    Issues issues;
    const auto policies =
        LoadPolicies(ReadPolicyDirectory(path, issues), issues);
    if (policies != nullptr) coverage.AddPolicies(*policies);
  }
}

int ExitCodeOf(const std::vector<SuiteOutcome>& outcomes, bool passed) {
  for (const SuiteOutcome& outcome : outcomes) {
    if (outcome.policies_invalid) return kExitPolicyInvalid;
    if (HasErrors(outcome.issues)) return kExitUsage;
  }
  return passed ? kExitOk : kExitDiffers;
}

absl::Status PrintResults(const PolicyTestOptions& options,
                          const std::vector<SuiteOutcome>& outcomes,
                          const v1::PolicyTestReport& report,
                          const Totals& totals, Streams& streams) {
  if (!options.junit.empty()) {
    absl::Status written = WriteOutput(options.junit, ToJunit(report));
    if (!written.ok()) return written;
  }
  if (!IsForPeople(options.output.format)) {
    const absl::StatusOr<std::string> text =
        PrintProtoAs(options.output.format, report);
    if (!text.ok()) return text.status();
    streams.out << *text;
    return absl::OkStatus();
  }
  Layout page(kPageWidth, options.output.color);
  for (const SuiteOutcome& outcome : outcomes) {
    PrintSuite(outcome, page);
    streams.err << FormatIssues(outcome.issues, outcome.texts,
                                options.output.color);
  }
  PrintSummary(report, totals, page);
  streams.out << page.text();
  if (totals.percent() < options.coverage_min) {
    streams.out << absl::StrFormat("expected at least %d %% (--coverage-min)\n",
                                   options.coverage_min);
  }
  return absl::OkStatus();
}

// Runs the suites and prints their results. Returns the exit code: kExitOk if
// all is as expected, else kExitDiffers; kExitUsage if a suite cannot run,
// kExitPolicyInvalid if its policies have errors.
int RunPolicyTest(PolicyTestOptions& options, Streams& streams) {
  const absl::StatusOr<std::vector<std::string>> files =
      FindSuites(options.paths);
  if (!files.ok()) return Fail(streams, files.status());
  RuleCoverage coverage;
  std::vector<SuiteOutcome> outcomes;
  v1::PolicyTestReport report;
  bool ran = true;
  for (const std::string& file : *files) {
    SuiteOutcome& outcome = outcomes.emplace_back(RunSuite(file, coverage));
    ran = ran && !HasErrors(outcome.issues);
    *outcome.result.mutable_issues() = ToMessages(outcome.issues);
    *report.add_suites() = outcome.result;
  }
  AddUntested(options.paths, coverage);
  for (v1::PolicyCoverage& policy : coverage.Report()) {
    *report.add_coverage() = std::move(policy);
  }
  const Totals totals = TotalsOf(report);
  report.set_passed(ran && totals.failed == 0 &&
                    totals.percent() >= options.coverage_min);
  if (absl::Status printed =
          PrintResults(options, outcomes, report, totals, streams);
      !printed.ok()) {
    return Fail(streams, printed);
  }
  if (const int code = FinishOutput(streams); code != kExitOk) return code;
  return ExitCodeOf(outcomes, report.passed());
}

}  // namespace

void AddPolicy(CLI::App& app, Streams& streams, int& code) {
  CLI::App& policy = *app.add_subcommand("policy", "Work with policy files");
  policy.require_subcommand(1);
  policy.footer(R"(Example:
  mulligan policy show > training.yaml && mulligan policy check training.yaml)");
  AddCheck(policy, streams, code);
  AddShow(policy, streams, code);
  AddPolicySchema(policy, streams, code);
  AddPolicyTest(policy, streams, code);
  AddPolicyDiff(policy, streams, code);
  AddPolicyImport(policy, streams, code);
}

void AddPolicyTest(CLI::App& policy, Streams& streams, int& code) {
  const auto [test, options] =
      AddCommand("test", "Run test suites (*_test.yaml) of policies",
                 R"(Exit codes: 0 as expected, 1 not, 2 bad suite, 3 invalid
policy.

Example:
  mulligan policy test --junit results.xml --coverage-min 80 policies/)",
                 RunPolicyTest, policy, streams, code);
  AddOption(test, "PATH", options.paths, "Suites, or folders with suites",
            "PATH")
      ->required();
  AddOption(test, "--junit", options.junit, "Where to write JUnit XML", "FILE");
  AddOption(test, "--coverage-min", options.coverage_min,
            "Least share of rules that decide; default: 0", "PERCENT")
      ->check(CLI::Range(0, 100));
  AddOutputFlags(test, options.output);
}

}  // namespace mulligan::cli
