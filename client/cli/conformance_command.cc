#include "client/cli/conformance_command.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/inputs.h"
#include "client/cli/utf8.h"
#include "client/conformance/runner.h"

namespace mulligan::cli {
namespace {

absl::StatusOr<conformance::FileReport> RunFile(const std::string& path,
                                                std::istream& standard_input) {
  absl::StatusOr<std::string> text = ReadInput(path, standard_input);
  if (!text.ok()) return text.status();
  std::istringstream cases(*std::move(text));
  const std::string name = path == "-" ? "<stdin>" : path;
  conformance::FileReport report = conformance::RunCases(name, cases);
  if (conformance::TotalsOf(report).cases() == 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: holds no case, expected one JSON object a line", name));
  }
  return report;
}

// Line by line, because case files are foreign text.
void PrintLines(const std::string& text, std::ostream& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out << line.substr(0, indent) << Printable(line.substr(indent)) << '\n';
  }
}

void PrintForPeople(const std::vector<conformance::FileReport>& reports,
                    std::ostream& out) {
  for (const conformance::FileReport& report : reports) {
    std::ostringstream text;
    conformance::PrintReport(report, text);
    PrintLines(text.str(), out);
  }
  if (reports.size() < 2) return;
  out << absl::StrFormat("%d files: %s\n", reports.size(),
                         conformance::TotalsOf(reports).Summary());
}

}  // namespace

int RunConformance(const ConformanceOptions& options, Streams& streams) {
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) {
    PrintError(streams,
               "\"-\": standard input is named more than once, expected once");
    return kExitUsage;
  }
  std::vector<conformance::FileReport> reports;
  for (const std::string& path : options.files) {
    absl::StatusOr<conformance::FileReport> report = RunFile(path, streams.in);
    if (!report.ok()) return Fail(streams, report.status());
    reports.push_back(*std::move(report));
  }
  if (options.output.format == OutputFormat::kJson) {
    // Ids may hold anything; what is no UTF-8 is replaced.
    streams.out << conformance::ReportsAsJson(reports).dump(
                       2, ' ', false,
                       conformance::Json::error_handler_t::replace)
                << '\n';
  } else {
    PrintForPeople(reports, streams.out);
  }
  if (const int code = FinishOutput(streams); code != kExitOk) return code;
  return conformance::TotalsOf(reports).failed == 0 ? kExitOk : kExitCaseFailed;
}

}  // namespace mulligan::cli
