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

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostListed = 100;

// Of hours, in the report's unit.
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
    const Cost& cost = At(report.ends, end);
    if (cost.workloads == 0) continue;
    html += Fact(absl::StrFormat("Workloads: %s", ReportName(end)),
                 absl::StrFormat("%s, %s", WithCommas(cost.workloads),
                                 HoursOf(report, cost.lost)));
  }
  return html + "</dl>\n</header>\n";
}

// The workloads by name, folded.
std::string NamedLists(const Report& report, std::string_view side,
                       const Verdicts& verdicts) {
  std::string html;
  for (const auto& [what, member, cost, examples] : NamedOf(verdicts)) {
    if (cost->workloads == 0) continue;
    const auto shown = FirstOf(*examples, kMostListed);
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
  absl::StrAppend(&html, "<table><thead><tr><th>Of the same ",
                  WithCommas(report.comparable.failures), " failures</th>");
  for (const auto& [side, name] : SidesToldOf(report)) {
    absl::StrAppend(&html, "<th>", Escaped(name), "</th>");
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const SideBySide& row : SidesOf(report)) {
    absl::StrAppend(&html, "<tr><td>", Escaped(row.what), "</td>");
    for (const std::string& side : row.sides) {
      absl::StrAppend(&html, "<td>", Escaped(side), "</td>");
    }
    html += "</tr>\n";
  }
  html += "</tbody></table>\n";
  for (const auto& [side, name] : SidesToldOf(report)) {
    html += NamedLists(report, name, At(report.verdicts, side));
  }
  return html;
}

std::string MendList(const Report& report) {
  std::string html;
  for (const Mend& mend : report.mends) {
    absl::StrAppendFormat(&html, "<li><b>%s</b>: %s, %s", Escaped(mend.what),
                          CountsText(mend.cost),
                          HoursOf(report, mend.cost.lost));
    const std::vector<Exhibit>& examples = mend.examples.all();
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
    html += "</ul></li>\n";
  }
  return html.empty() ? html : absl::StrCat("<ol>\n", html, "</ol>\n");
}

std::string CostTable(const Report& report, By by) {
  const auto rows = CostliestFirst(At(report.by, by), report.unit());
  std::string html = absl::StrFormat(
      "<table><thead><tr><th>%s</th><th>Failures</th><th>Workloads</th>"
      "<th>Hours</th></tr></thead>\n<tbody>\n",
      ReportName(by));
  std::size_t shown = 0;
  for (const auto& [name, cost] : rows) {
    if (name.empty()) continue;
    if (shown++ == kMostRows) break;
    absl::StrAppendFormat(
        &html,
        "<tr><td>%s</td><td class=\"number\">%s</td><td "
        "class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
        Escaped(by == By::kDomain ? DomainText(name) : name),
        WithCommas(cost.failures), WithCommas(cost.workloads),
        AmountText(report, cost.lost));
  }
  return shown == 0 ? "" : html + "</tbody></table>\n";
}

std::string IncidentTable(const Report& report) {
  if (report.incidents.empty()) return "";
  std::string html =
      "<table><thead><tr><th>From (UTC)</th><th>To</th><th>Cause</th>"
      "<th>Workloads</th><th>Hours</th></tr></thead>\n<tbody>\n";
  for (const Incident& incident : report.incidents) {
    absl::StrAppendFormat(
        &html,
        "<tr><td class=\"time\">%s</td><td class=\"time\">%s</td><td>%s</td>"
        "<td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
        MinuteText(incident.from), MinuteText(incident.to).substr(11),
        Escaped(incident.cause), WithCommas(incident.cost.workloads),
        AmountText(report, incident.cost.lost));
  }
  return html + "</tbody></table>\n";
}

std::string BudgetTable(const Report& report) {
  // Of a cluster no budget was asked.
  if (report.budgets.empty() || report.of_cluster) return "";
  std::string html =
      "<table><thead><tr><th>Budget</th><th>Charged</th><th>Workloads ended"
      "</th><th>Hours</th></tr></thead>\n<tbody>\n";
  for (const auto& [name, cost] : report.budgets) {
    absl::StrAppendFormat(
        &html,
        "<tr><td>%s</td><td class=\"number\">%s</td><td "
        "class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
        Escaped(name), WithCommas(cost.charged), WithCommas(cost.ended),
        AmountText(report, cost.lost));
  }
  return html + "</tbody></table>\n";
}

std::string CaveatList(const Report& report) {
  std::string html = "<ul>\n";
  for (const std::string& caveat : CaveatsOf(report)) {
    absl::StrAppend(&html, "<li>", Escaped(caveat), "</li>\n");
  }
  return html + "</ul>\n";
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
      HtmlSection("Mend first", MendList(report)),
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
