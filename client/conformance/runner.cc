#include "client/conformance/runner.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/conformance/case.h"
#include "client/conformance/compare.h"
#include "client/conformance/evaluate.h"

namespace mulligan::conformance {
namespace {

bool IsReason(const std::string& key) {
  const auto& reasons = OutOfScopeReasons();
  return std::any_of(
      reasons.begin(), reasons.end(),
      [&](const OutOfScope& reason) { return reason.key == key; });
}

// What the evaluator answers. A member of another type than it expects is the
// case's fault and must not end the run.
absl::StatusOr<Answer> Ask(Evaluator evaluate, const CaseInput& input) {
  try {
    return evaluate(input);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

void RunCase(const Case& test, FileReport& report) {
  const Evaluator evaluate = EvaluatorFor(test.input);
  if (evaluate == nullptr) {
    report.without_semantics.push_back({test.id, test.input.source});
    return;
  }
  const absl::StatusOr<Answer> answer = Ask(evaluate, test.input);
  if (!answer.ok()) {
    report.failed.push_back({test.id, {answer.status().ToString()}});
    return;
  }
  if (answer->out_of_scope.has_value()) {
    const std::string& key = *answer->out_of_scope;
    if (IsReason(key)) {
      report.out_of_scope[key].push_back(test.id);
    } else {
      report.failed.push_back(
          {test.id,
           {absl::StrFormat("'%s' is no reason to be out of scope", key)}});
    }
    return;
  }
  if (test.expect.empty()) {
    report.failed.push_back({test.id, {"expect: asserts nothing"}});
    return;
  }
  std::vector<std::string> differences =
      Differences(test.expect, answer->facts);
  if (differences.empty()) {
    ++report.passed;
  } else {
    report.failed.push_back({test.id, std::move(differences)});
  }
}

}  // namespace

FileReport RunCases(const std::string& file, std::istream& cases) {
  FileReport report;
  report.file = file;
  std::string line;
  for (int number = 1; std::getline(cases, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const absl::StatusOr<Case> test = ParseCase(line);
    if (test.ok()) {
      RunCase(*test, report);
    } else {
      report.failed.push_back({absl::StrFormat("line %d", number),
                               {std::string(test.status().message())}});
    }
  }
  return report;
}

Totals TotalsOf(const FileReport& report) {
  Totals totals{report.passed, static_cast<int>(report.failed.size()), 0,
                static_cast<int>(report.without_semantics.size())};
  for (const auto& [reason, ids] : report.out_of_scope) {
    totals.out_of_scope += static_cast<int>(ids.size());
  }
  return totals;
}

Totals TotalsOf(const std::vector<FileReport>& reports) {
  Totals sum;
  for (const FileReport& report : reports) {
    const Totals totals = TotalsOf(report);
    sum.passed += totals.passed;
    sum.failed += totals.failed;
    sum.out_of_scope += totals.out_of_scope;
    sum.without_semantics += totals.without_semantics;
  }
  return sum;
}

std::string Totals::Summary() const {
  std::string summary = absl::StrFormat("%d passed, %d failed, %d out of scope",
                                        passed, failed, out_of_scope);
  if (without_semantics > 0) {
    absl::StrAppendFormat(&summary, ", %d without semantics",
                          without_semantics);
  }
  return summary;
}

void PrintReport(const FileReport& report, std::ostream& out) {
  out << report.file << ": " << TotalsOf(report).Summary() << "\n";
  for (const FailedCase& failed : report.failed) {
    out << "  failed " << failed.id << "\n";
    for (const std::string& why : failed.why) out << "    " << why << "\n";
  }
  for (const OutOfScope& reason : OutOfScopeReasons()) {
    const auto found = report.out_of_scope.find(std::string(reason.key));
    if (found == report.out_of_scope.end()) continue;
    out << absl::StrFormat("  out of scope %d %s: %s\n", found->second.size(),
                           reason.key, reason.why)
        << "    " << absl::StrJoin(found->second, ", ") << "\n";
  }
  if (report.without_semantics.empty()) return;
  out << absl::StrFormat(
      "  without semantics %d: the sources are none of the operators whose "
      "verdicts are known\n",
      report.without_semantics.size());
  for (const CaseWithoutSemantics& one : report.without_semantics) {
    out << "    " << one.id << ": " << one.source << "\n";
  }
}

Json ReportsAsJson(const std::vector<FileReport>& reports) {
  Json files = Json::array();
  for (const FileReport& report : reports) {
    Json failed = Json::array();
    for (const FailedCase& one : report.failed) {
      failed.push_back({{"id", one.id}, {"why", one.why}});
    }
    Json outside = Json::array();
    for (const OutOfScope& reason : OutOfScopeReasons()) {
      const auto found = report.out_of_scope.find(std::string(reason.key));
      if (found == report.out_of_scope.end()) continue;
      outside.push_back({{"reason", reason.key},
                         {"sentence", reason.why},
                         {"ids", found->second}});
    }
    Json without = Json::array();
    for (const CaseWithoutSemantics& one : report.without_semantics) {
      without.push_back({{"id", one.id}, {"source", one.source}});
    }
    files.push_back({{"file", report.file},
                     {"passed", report.passed},
                     {"failed", std::move(failed)},
                     {"outOfScope", std::move(outside)}});
    if (!without.empty()) files.back()["withoutSemantics"] = std::move(without);
  }
  const Totals totals = TotalsOf(reports);
  Json total = {{"passed", totals.passed},
                {"failed", totals.failed},
                {"outOfScope", totals.out_of_scope}};
  if (totals.without_semantics > 0) {
    total["withoutSemantics"] = totals.without_semantics;
  }
  return {{"files", std::move(files)}, {"total", std::move(total)}};
}

}  // namespace mulligan::conformance
