#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/layout.h"
#include "client/cli/report/report.h"
#include "client/cli/report/report_words.h"

namespace mulligan::cli {
namespace {

// To fit one screen.
constexpr std::size_t kCauses = 7;
constexpr std::size_t kTeams = 4;
constexpr std::size_t kMends = 5;
constexpr std::size_t kIncidents = 3;
constexpr std::size_t kWidth = 96;

std::string Ends(const Report& report) {
  std::string text;
  for (const End end : kAllEnds) {
    const Cost& cost = AtKey(report.ends, end);
    if (cost.workloads == 0) continue;
    absl::StrAppendFormat(&text, "%s%s %s", text.empty() ? "  " : ", ",
                          WithCommas(cost.workloads), ReportName(end));
  }
  return text.empty() ? text : text + "\n";
}

std::string TopOf(const Report& report, By by, std::string_view title,
                  std::size_t most) {
  const Unit unit = report.unit();
  auto rows = CostliestFirst(AtKey(report.by, by), unit);
  std::erase_if(rows, [](const auto& row) { return row.first.empty(); });
  if (rows.empty()) return "";
  const std::size_t more = rows.size() - std::min(rows.size(), most);
  rows.resize(rows.size() - more);
  std::string text = absl::StrFormat(
      "\n%-45s %10s %10s %17s\n", title, "FAILURES", "WORKLOADS",
      absl::AsciiStrToUpper(std::string(ReportName(unit))));
  for (const auto& [name, cost] : rows) {
    absl::StrAppendFormat(
        &text, "%s %10s %10s %17s\n",
        Padded(CutTo(by == By::kDomain ? DomainText(name) : name, 45), 45),
        WithCommas(cost.failures), WithCommas(cost.workloads),
        HoursText(AmountOf(cost.lost, unit)));
  }
  if (more > 0) absl::StrAppendFormat(&text, "  and %d more\n", more);
  return text;
}

// Wraps `text` without cutting it, because the instruction is at its end.
std::string Wrapped(std::string_view lead, std::string_view text) {
  Layout layout(kWidth, /*color=*/false);
  layout.Hanging(lead, text);
  return layout.text();
}

std::string SidesText(const Report& report) {
  std::string text = absl::StrCat("\n", DoneSentence(report), "\n");
  if (report.comparable.failures == 0) return text;
  absl::StrAppendFormat(
      &text, "\n%-36s",
      absl::StrCat("OF THE SAME ", WithCommas(report.comparable.failures),
                   report.comparable.failures == 1 ? " FAILURE" : " FAILURES"));
  for (const auto& [side, name] : ShownSides(report)) {
    absl::StrAppendFormat(&text, " %-28s", absl::AsciiStrToUpper(name));
  }
  while (text.back() == ' ') text.pop_back();
  text += "\n";
  for (const SideBySide& row : SidesOf(report)) {
    absl::StrAppendFormat(&text, "%-36s", row.what);
    for (const std::string& side : row.sides) {
      absl::StrAppendFormat(&text, " %-28s", side);
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  for (const std::string& sentence : CompletedSentences(report)) {
    absl::StrAppend(&text, Wrapped("", sentence));
  }
  return text;
}

std::string Incidents(const Report& report) {
  if (report.incidents.empty()) return "";
  std::string text = "\nINCIDENTS\n";
  for (std::size_t i = 0; i < report.incidents.size(); ++i) {
    if (i == kIncidents) {
      absl::StrAppend(&text, "  and ", report.incidents.size() - i, " more\n");
      break;
    }
    const Incident& incident = report.incidents[i];
    absl::StrAppendFormat(
        &text, "%s to %s  %s: %s, %s h\n", MinuteText(incident.from),
        MinuteText(incident.to).substr(11), incident.cause,
        CountsText(incident.cost),
        HoursText(AmountOf(incident.cost.lost, report.unit())));
  }
  return text;
}

std::string Budgets(const Report& report) {
  // A cluster's objects were not charged to budgets.
  if (report.of_cluster) return "";
  std::string text;
  for (const auto& [name, cost] : report.budgets) {
    if (cost.ended == 0) continue;
    absl::StrAppendFormat(&text, "%s%s ended %s", text.empty() ? "" : ", ",
                          CutTo(name, 40), WithCommas(cost.ended));
  }
  return text.empty() ? ""
                      : absl::StrCat("\nLIMITS THAT ENDED WORK: ", text, "\n");
}

std::string Mends(const Report& report) {
  if (report.repair_targets.empty()) return "";
  std::string text = "\nFIX FIRST\n";
  for (std::size_t i = 0; i < std::min(report.repair_targets.size(), kMends);
       ++i) {
    const RepairTarget& mend = report.repair_targets[i];
    absl::StrAppendFormat(&text, "%d. %s: %s, %s h\n", i + 1,
                          CutTo(mend.what, 50), CountsText(mend.cost),
                          HoursText(AmountOf(mend.cost.lost, report.unit())));
    if (mend.examples.all().empty()) continue;
    const Exhibit& example = mend.examples.all().front();
    absl::StrAppend(&text, "   ",
                    CutTo(absl::StrCat(example.workload, ": ", example.problem),
                          kWidth - 3),
                    "\n", Wrapped("   Do first: ", example.first_step.text()));
  }
  return text;
}

}  // namespace

std::string ReportText(const Report& report) {
  if (report.all.failures == 0) {
    return NothingSentence(report) + "\n";
  }
  std::string text =
      absl::StrFormat("%s, %s to %s\n", HeadlineOf(report),
                      DayText(report.first), DayText(report.last)) +
      Ends(report);
  absl::StrAppend(&text, TopOf(report, By::kCause, "CAUSE", kCauses),
                  TopOf(report, By::kDomain, "WHO HAS TO ACT", kTeams),
                  TopOf(report, By::kTeam, "TEAM", kTeams));
  absl::StrAppend(&text, SidesText(report), Budgets(report), Incidents(report),
                  Mends(report), "\n");
  for (const std::string& caveat : CaveatsOf(report)) {
    absl::StrAppend(&text, Wrapped("- ", caveat));
  }
  return text;
}

}  // namespace mulligan::cli
