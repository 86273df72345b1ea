#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/html.h"
#include "client/cli/print/plot.h"
#include "client/cli/report/report.h"
#include "client/cli/report/report_plots.h"
#include "client/cli/report/report_words.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kMaxRows = 20;
constexpr std::size_t kMaxListed = 100;

// Hours in the report's unit.
std::string AmountText(const Report& report, const Spent& spent) {
  return Escaped(HoursText(AmountOf(spent, report.unit())));
}

std::string HoursOf(const Report& report, const Spent& spent) {
  return AmountText(report, spent) + " h";
}

std::string ReportHead(const Report& report) {
  std::string html = absl::StrFormat(
      "<header class=\"story\">\n<p class=\"eyebrow\">What failures cost, %s "
      "to %s</p>\n<h1>%s</h1>\n<dl class=\"facts\">\n",
      DayText(report.first), DayText(report.last), Escaped(HeadlineOf(report)));
  for (const End end : kAllEnds) {
    const Cost& cost = AtKey(report.ends, end);
    if (cost.workloads == 0) continue;
    html += Fact(absl::StrFormat("Workloads: %s", ReportName(end)),
                 absl::StrFormat("%s, %s", WithCommas(cost.workloads),
                                 HoursOf(report, cost.lost)));
  }
  return html + "</dl>\n</header>\n";
}

// Returns collapsed lists of workloads by name.
std::string NamedLists(const Report& report, std::string_view side,
                       const Verdicts& verdicts) {
  std::string html;
  for (const auto& [what, member, cost, examples] : NamedOf(verdicts)) {
    if (cost->workloads == 0) continue;
    const auto shown = FirstOf(*examples, kMaxListed);
    absl::StrAppendFormat(
        &html, "<details><summary>%s, %s: %s</summary>\n<ul>\n", Escaped(what),
        Escaped(side), WithCommas(cost->workloads));
    for (const Exhibit& example : shown) {
      absl::StrAppendFormat(&html,
                            "<li>%s <span class=\"soft\">%s UTC, %s</span>"
                            "</li>\n",
                            Escaped(example.workload),
                            MinuteText(example.observed),
                            HoursOf(report, example.lost));
    }
    const Count more = cost->workloads - static_cast<Count>(shown.size());
    if (more > 0) {
      absl::StrAppend(&html, "<li>and ", WithCommas(more),
                      " more, in -o json and -o csv</li>\n");
    }
    html += "</ul></details>\n";
  }
  return html;
}

std::string SidesTable(const Report& report) {
  std::string html =
      absl::StrCat("<p>", Escaped(DoneSentence(report)), "</p>\n");
  if (report.comparable.failures == 0) return html;
  for (const std::string& sentence : CompletedSentences(report)) {
    absl::StrAppend(&html, "<p>", Escaped(sentence), "</p>\n");
  }
  const std::string of_all = absl::StrFormat(
      "Of the same %s failures", WithCommas(report.comparable.failures));
  std::vector<std::string_view> titles = {of_all};
  const auto sides = ShownSides(report);
  for (const auto& [side, name] : sides) titles.push_back(name);
  std::vector<std::string> rows;
  for (const SideBySide& row : SidesOf(report)) {
    std::string& cells = rows.emplace_back(HtmlCell(Escaped(row.what)));
    for (const std::string& side : row.sides) cells += HtmlCell(Escaped(side));
  }
  html += HtmlTable(titles, rows);
  for (const auto& [side, name] : sides) {
    html += NamedLists(report, name, AtKey(report.verdicts, side));
  }
  return html;
}

std::string FixList(const Report& report) {
  std::vector<std::string> items;
  for (const RepairTarget& target : report.repair_targets) {
    std::string& html = items.emplace_back(absl::StrFormat(
        "<b>%s</b>: %s, %s", Escaped(target.what), CountsText(target.cost),
        HoursOf(report, target.cost.lost)));
    const std::vector<Exhibit>& examples = target.examples.all();
    if (!examples.empty() && !examples.front().first_step.text().empty()) {
      absl::StrAppendFormat(&html,
                            "<div class=\"first\"><b>Do first</b>%s</div>",
                            Escaped(examples.front().first_step.text()));
    }
    html += "<ul>";
    for (const Exhibit& example : examples) {
      absl::StrAppendFormat(
          &html,
          "<li><b>%s</b> <span class=\"soft\">%s UTC, %s</span><br/>%s"
          "</li>\n",
          Escaped(example.workload), MinuteText(example.observed),
          HoursOf(report, example.lost), Escaped(example.problem));
    }
    html += "</ul>";
  }
  return HtmlList(items, "ol");
}

std::string NumberCell(const std::string& html) {
  return HtmlCell(html, "number");
}

std::string CostTable(const Report& report, By by) {
  std::vector<std::string> rows;
  for (const auto& [name, cost] :
       CostliestFirst(AtKey(report.by, by), report.unit())) {
    if (name.empty()) continue;
    if (rows.size() == kMaxRows) break;
    rows.push_back(absl::StrCat(
        HtmlCell(Escaped(by == By::kDomain ? DomainText(name) : name)),
        NumberCell(WithCommas(cost.failures)),
        NumberCell(WithCommas(cost.workloads)),
        NumberCell(AmountText(report, cost.lost))));
  }
  return HtmlTable({ReportName(by), "Failures", "Workloads", "Hours"}, rows);
}

std::string IncidentTable(const Report& report) {
  std::vector<std::string> rows;
  for (const Incident& incident : report.incidents) {
    rows.push_back(
        absl::StrCat(HtmlCell(MinuteText(incident.from), "time"),
                     HtmlCell(MinuteText(incident.to).substr(11), "time"),
                     HtmlCell(Escaped(incident.cause)),
                     NumberCell(WithCommas(incident.cost.workloads)),
                     NumberCell(AmountText(report, incident.cost.lost))));
  }
  return HtmlTable({"From (UTC)", "To", "Cause", "Workloads", "Hours"}, rows);
}

std::string BudgetTable(const Report& report) {
  // A cluster's objects were not charged to budgets.
  if (report.of_cluster) return "";
  std::vector<std::string> rows;
  for (const auto& [name, cost] : report.budgets) {
    rows.push_back(absl::StrCat(HtmlCell(Escaped(name)),
                                NumberCell(WithCommas(cost.charged)),
                                NumberCell(WithCommas(cost.ended)),
                                NumberCell(AmountText(report, cost.lost))));
  }
  return HtmlTable({"Budget", "Charged", "Workloads ended", "Hours"}, rows);
}

std::string CaveatList(const Report& report) {
  std::vector<std::string> caveats = CaveatsOf(report);
  for (std::string& caveat : caveats) caveat = Escaped(caveat);
  return HtmlList(caveats);
}

}  // namespace

std::string ReportHtml(const Report& report) {
  constexpr std::string_view kTitle = "What failures cost";
  if (report.all.failures == 0) {
    return HtmlDocument(
        std::string(kTitle),
        absl::StrCat("<article>\n<h1>", Escaped(NothingSentence(report)),
                     "</h1>\n</article>\n"));
  }
  std::string html = absl::StrCat("<article>\n", ReportHead(report));
  absl::StrAppend(
      &html,
      HtmlSection("The same failures, by both rules", SidesTable(report)),
      HtmlSection("Hours lost, by who has to act", WaterfallPlot(report)),
      HtmlSection("Hours lost by day", LostByDayPlot(report),
                  DomainLegend(report)));
  absl::StrAppend(
      &html,
      HtmlSection(report.of_cluster
                      ? "From who has to act, over what would pay, to how it "
                        "ended"
                      : "From who has to act, over who paid, to how it ended",
                  FlowPlot(report)),
      HtmlSection("Fix first", FixList(report)),
      HtmlSection("Incidents", IncidentTable(report),
                  "At least five workloads in ten minutes, and five times the "
                  "usual, of one fault of the platform."),
      HtmlSection("Failures of the platform, by node and day",
                  NodePlot(report)),
      HtmlSection("Budgets", BudgetTable(report)));
  for (const By by : {By::kCause, By::kTeam, By::kKind, By::kOperator,
                      By::kNode, By::kZone, By::kImage, By::kWeek}) {
    absl::StrAppend(
        &html, HtmlSection(absl::StrCat("By ", std::string(ReportName(by))),
                           CostTable(report, by)));
  }
  absl::StrAppend(&html, HtmlSection("How to read this", CaveatList(report)));
  return HtmlDocument(std::string(kTitle), html + "</article>\n");
}

}  // namespace mulligan::cli
