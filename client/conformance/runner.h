// Runs case files.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_
#define MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_

#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

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
  // Number of cases by key of OutOfScopeReasons.
  std::map<std::string, int> out_of_scope;
};

// Evaluates every line of `cases`. Blank lines are skipped.
FileReport RunCases(const std::string& file, std::istream& cases);

// "FILE: N passed, N failed, N out of scope", then each failure and each
// reason with its sentence.
void PrintReport(const FileReport& report, std::ostream& out);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_RUNNER_H_
