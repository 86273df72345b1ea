// Runs case files.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_
#define MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_

#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "client/conformance/case.h"

namespace mulligan::conformance {

struct FailedCase {
  // Case id, or "line N" for a line that is no case.
  std::string id;
  // Differences, or why it could not be answered.
  std::vector<std::string> why;
};

// Of an operator whose semantics are not among the native ones.
struct CaseWithoutSemantics {
  std::string id;
  std::string source;
};

struct FileReport {
  std::string file;
  int passed = 0;
  std::vector<FailedCase> failed;
  // Ids of the cases that are no retry or failure decision, by key of
  // OutOfScopeReasons.
  std::map<std::string, std::vector<std::string>> out_of_scope;
  std::vector<CaseWithoutSemantics> without_semantics;
};

// Numbers of one report, or of several together.
struct Totals {
  int passed = 0;
  int failed = 0;
  int out_of_scope = 0;
  int without_semantics = 0;

  int cases() const {
    return passed + failed + out_of_scope + without_semantics;
  }
  // "N passed, N failed, N out of scope", and only with such cases ", N without
  // semantics".
  std::string Summary() const;
};
Totals TotalsOf(const FileReport& report);
Totals TotalsOf(const std::vector<FileReport>& reports);

// Evaluates every line of `cases`. Blank lines are skipped.
FileReport RunCases(const std::string& file, std::istream& cases);

// "FILE: " and the summary, then each failure, each reason with its sentence
// and the cases it is the reason for, and the cases without semantics.
void PrintReport(const FileReport& report, std::ostream& out);

// {"files": [{"file", "passed", "failed": [{"id", "why"}],
//             "outOfScope": [{"reason", "sentence", "ids"}],
//             "withoutSemantics": [{"id", "source"}]}],
//  "total": {"passed", "failed", "outOfScope", "withoutSemantics"}},
// withoutSemantics only where there are such cases.
Json ReportsAsJson(const std::vector<FileReport>& reports);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_
