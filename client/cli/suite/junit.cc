#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/html_parts.h"
#include "client/cli/suite/suite_run.h"

namespace mulligan::cli {
namespace {

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
