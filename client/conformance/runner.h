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

struct FileReport {
  std::string file;
  int passed = 0;
  std::vector<FailedCase> failed;
  // Ids of the cases that are no retry or failure decision, by key of
  // OutOfScopeReasons.
  std::map<std::string, std::vector<std::string>> out_of_scope;
};

// Numbers of one report, or of several together.
struct Totals {
  int passed = 0;
  int failed = 0;
  int out_of_scope = 0;

  int cases() const { return passed + failed + out_of_scope; }
};
Totals TotalsOf(const FileReport& report);
Totals TotalsOf(const std::vector<FileReport>& reports);

// Evaluates every line of `cases`. Blank lines are skipped.
FileReport RunCases(const std::string& file, std::istream& cases);

// "FILE: N passed, N failed, N out of scope", then each failure and each
// reason with its sentence and the cases it is the reason for.
void PrintReport(const FileReport& report, std::ostream& out);

// {"files": [{"file", "passed", "failed": [{"id", "why"}],
//             "outOfScope": [{"reason", "sentence", "ids"}]}],
//  "total": {"passed", "failed", "outOfScope"}}
Json ReportsAsJson(const std::vector<FileReport>& reports);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_
