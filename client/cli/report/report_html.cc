#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/html.h"
#include "client/cli/report/report.h"
#include "client/cli/report/report_words.h"

namespace mulligan::cli {
namespace {

constexpr double kRow = 30;
constexpr double kBarHeight = 12;
constexpr double kDayHeight = 150;
constexpr std::size_t kMaxColumns = 45;
constexpr std::size_t kMaxDates = 5;
constexpr std::size_t kMaxNodeRows = 25;
constexpr std::int64_t kWeekSeconds = 7 * kDaySeconds;
// A Monday.
constexpr std::int64_t kFirstWeek = -3 * kDaySeconds;

// Days, or weeks if there are too many days.
class Columns {
 public:
  explicit Columns(const Report& report)
      : span_((report.last - report.first) / kDaySeconds >=
                      static_cast<std::int64_t>(kMaxColumns)
                  ? kWeekSeconds
                  : kDaySeconds),
        first_(StartOf(report.first)),
        count_(
            static_cast<std::size_t>((StartOf(report.last) - first_) / span_) +
            1) {}

  std::size_t Of(Day day) const {
    return static_cast<std::size_t>((StartOf(day) - first_) / span_);
  }
  std::size_t count() const { return count_; }
  std::string Name(std::size_t column) const {
    return DayText(first_ + static_cast<std::int64_t>(column) * span_);
  }
  // Returns some dates below the columns, from `left` in steps of `step`.
  std::string Dates(double left, double step, double y) const {
    std::string svg;
    const std::size_t each = (count_ + kMaxDates - 1) / kMaxDates;
    for (std::size_t i = 0; i < count_; i += each) {
      svg += PlotText("note", left + step * static_cast<double>(i), y, Name(i));
    }
    return svg;
  }

 private:
  std::int64_t StartOf(std::int64_t seconds) const {
    const std::int64_t into = (seconds - kFirstWeek) % span_;
    return seconds - (into + span_) % span_;
  }

  std::int64_t span_;
  std::int64_t first_;
  std::size_t count_;
};

// Returns the size of a cost in the drawing: its hours, or its failures if the
// report has no hours. DrawnText is its label.
double DrawnSize(const Report& report, const Cost& cost) {
  const std::int64_t lost = AmountOf(cost.lost, report.unit());
  return report.all.lost.any() ? static_cast<double>(lost)
                               : static_cast<double>(cost.failures);
}

std::string DrawnText(const Report& report, const Cost& cost) {
  return report.all.lost.any()
             ? absl::StrCat(HoursText(AmountOf(cost.lost, report.unit())), " h")
             : WithCommas(cost.failures);
}

// Returns the domains, the costliest first. StylesOf returns their classes;
// "d0" is the costliest.
std::vector<std::pair<std::string, Cost>> DomainsOf(const Report& report) {
  return CostliestFirst(AtKey(report.by, By::kDomain), report.unit());
}

std::map<std::string, std::string> StylesOf(const Report& report) {
  std::map<std::string, std::string> styles;
  for (const auto& [name, cost] : DomainsOf(report)) {
    styles.emplace(name, absl::StrCat("d", styles.size()));
  }
  return styles;
}

// One column of the flow: names and their positions, from the top.
struct Stage {
  double x = 0;
  std::map<std::string, double> sizes;
  std::map<std::string, double> tops;
  // Where the next band begins, on either side.
  std::map<std::string, double> in;
  std::map<std::string, double> out;
};

constexpr double kFlowHeight = 300;
constexpr double kFlowGap = 22;
constexpr double kPillar = 12;

void Place(Stage& stage, double scale) {
  double y = 16;
  std::vector<std::pair<std::string, double>> rows(stage.sizes.begin(),
                                                   stage.sizes.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  for (const auto& [name, size] : rows) {
    stage.tops[name] = stage.in[name] = stage.out[name] = y;
    y += size * scale + kFlowGap;
  }
}

std::string Band(Stage& from, const std::string& a, Stage& to,
                 const std::string& b, double height, std::string_view style) {
  const double x1 = from.x + kPillar;
  const double x2 = to.x;
  const double middle = (x1 + x2) / 2;
  const double y1 = from.out[a];
  const double y2 = to.in[b];
  from.out[a] += height;
  to.in[b] += height;
  return absl::StrFormat(
      "<path class=\"band %s\" d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f "
      "V%.1f C%.1f %.1f %.1f %.1f %.1f %.1f Z\"/>\n",
      style, x1, y1, middle, y1, middle, y2, x2, y2, y2 + height, middle,
      y2 + height, middle, y1 + height, x1, y1 + height);
}

std::string Pillars(const Stage& stage, double scale, std::string_view anchor) {
  std::string svg;
  const double x = anchor == "start" ? stage.x : stage.x + kPillar;
  for (const auto& [name, size] : stage.sizes) {
    const double top = stage.tops.at(name);
    absl::StrAppend(
        &svg,
        PlotBar("all", stage.x, top, kPillar, std::max(size * scale, 1.0)),
        PlotText("", x, top - 4, name, anchor));
  }
  return svg;
}

// All hours, then the part of each domain.
std::string WaterfallPlot(const Report& report) {
  constexpr double kLeft = 260;
  constexpr double kRight = 90;
  const auto domains = DomainsOf(report);
  const double whole = DrawnSize(report, report.all);
  if (domains.size() < 2 || whole <= 0) return "";
  const auto styles = StylesOf(report);
  std::string svg =
      PlotOpen(kRow * static_cast<double>(domains.size() + 1),
               "Hours lost, and who has to act for each part of them");
  const double scale = (kPlotWidth - kLeft - kRight) / whole;
  double x = kLeft;
  double y = 0;
  const auto row = [&](std::string_view style, std::string_view name,
                       const Cost& cost, double size) {
    absl::StrAppend(
        &svg, PlotText("", 0, y + 16, name),
        PlotBar(style, x, y + 7, std::max(size * scale, 1.0), kBarHeight),
        PlotText("note", kPlotWidth, y + 16, DrawnText(report, cost), "end"));
    y += kRow;
  };
  row("all", "all", report.all, whole);
  for (const auto& [name, cost] : domains) {
    const double size = DrawnSize(report, cost);
    row(styles.at(name), DomainText(name), cost, size);
    x += size * scale;
  }
  return svg + "</svg>\n";
}

std::string DomainLegend(const Report& report) {
  std::string html;
  for (const auto& [name, cost] : DomainsOf(report)) {
    absl::StrAppendFormat(&html, "<span class=\"key d%d\"></span> %s ",
                          StylesOf(report).at(name).back() - '0',
                          Escaped(DomainText(name)));
  }
  return html;
}

// A column of the domains' hours per day, or per week if there are many days.
// Needs two columns.
std::string LostByDayPlot(const Report& report) {
  const Columns columns(report);
  if (columns.count() < 2 || !report.all.lost.any()) return "";
  const auto styles = StylesOf(report);
  std::vector<std::map<std::string, double>> stacks(columns.count());
  for (const auto& [day, domains] : report.days) {
    for (const auto& [domain, cost] : domains) {
      stacks[columns.Of(day)][styles.at(domain)] +=
          static_cast<double>(AmountOf(cost.lost, report.unit()));
    }
  }
  double most = 1;
  for (const auto& stack : stacks) {
    double sum = 0;
    for (const auto& [style, size] : stack) sum += size;
    most = std::max(most, sum);
  }
  constexpr double kAbove = 18;
  const double ground = kAbove + kDayHeight;
  std::string svg = PlotOpen(ground + 22, "Hours lost by day");
  svg += PlotText(
      "note", 0, 12,
      absl::StrCat(HoursText(static_cast<std::int64_t>(most)), " h at most"));
  const double step = kPlotWidth / static_cast<double>(columns.count());
  const double width = std::min(step * 0.8, 40.0);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    double top = ground;
    for (const auto& [style, size] : stacks[i]) {
      const double height = kDayHeight * size / most;
      top -= height;
      svg += PlotBar(style, step * static_cast<double>(i) + (step - width) / 2,
                     top, width, height);
    }
  }
  absl::StrAppend(&svg, columns.Dates(0, step, ground + 15));
  absl::StrAppendFormat(&svg,
                        "<path class=\"axis\" d=\"M0 %g H%g\"/>\n</svg>\n",
                        ground, kPlotWidth);
  return svg;
}

// A row per node, the worst first, with a cell per day or week, darker with
// more failures of the platform.
std::string NodePlot(const Report& report) {
  constexpr double kLeft = 200;
  constexpr double kRight = 60;
  constexpr double kCell = 16;
  const Columns columns(report);
  std::vector<std::pair<std::string, Count>> worst;
  Count most = 1;
  for (const auto& [node, days] : report.nodes) {
    Count all = 0;
    std::vector<Count> cells(columns.count());
    for (const auto& [day, count] : days) {
      all += count;
      most = std::max(most, cells[columns.Of(day)] += count);
    }
    worst.emplace_back(node, all);
  }
  if (worst.empty()) return "";
  std::ranges::stable_sort(worst, std::ranges::greater(),
                           &std::pair<std::string, Count>::second);
  if (worst.size() > kMaxNodeRows) worst.resize(kMaxNodeRows);
  std::string svg = PlotOpen(kCell * static_cast<double>(worst.size()) + 22,
                             "Failures of the platform, by node and day");
  const double step =
      (kPlotWidth - kLeft - kRight) / static_cast<double>(columns.count());
  double y = 0;
  for (const auto& [node, all] : worst) {
    absl::StrAppend(
        &svg, PlotText("name", 0, y + 12, node),
        PlotText("note", kPlotWidth, y + 12, WithCommas(all), "end"));
    std::map<std::size_t, Count> cells;
    for (const auto& [day, count] : report.nodes.at(node)) {
      cells[columns.Of(day)] += count;
    }
    for (const auto& [column, count] : cells) {
      const double share =
          static_cast<double>(count) / static_cast<double>(most);
      svg += absl::StrFormat(
          "<rect class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
          "height=\"%.1f\" fill-opacity=\"%.2f\"><title>%s, %s: %d</title>"
          "</rect>\n",
          kLeft + step * static_cast<double>(column), y + 1,
          std::min(std::max(step - 1, 1.0), 30.0), kCell - 2, 0.2 + 0.8 * share,
          Escaped(node), columns.Name(column), count);
    }
    y += kCell;
  }
  return svg + columns.Dates(kLeft, step, y + 15) + "</svg>\n";
}

// Bands from domains over budgets to ends, as wide as their hours.
std::string FlowPlot(const Report& report) {
  const double whole = DrawnSize(report, report.all);
  if (whole <= 0) return "";
  const auto styles = StylesOf(report);
  Stage domains;
  Stage budgets;
  budgets.x = (kPlotWidth - kPillar) / 2;
  Stage ends;
  ends.x = kPlotWidth - kPillar;
  struct Flow {
    std::string domain;
    std::string style;
    std::string budget;
    std::string end;
    double size;
  };
  std::vector<Flow> flows;
  for (const auto& [names, costs] : report.flows) {
    for (const End end : kAllEnds) {
      const double size = DrawnSize(report, AtKey(costs, end));
      if (size < whole / 1000) continue;
      const Flow& flow = flows.emplace_back(
          Flow{DomainText(names.first), styles.at(names.first),
               names.second.empty() ? "not charged" : names.second,
               std::string(ReportName(end)), size});
      domains.sizes[flow.domain] += size;
      budgets.sizes[flow.budget] += size;
      ends.sizes[flow.end] += size;
    }
  }
  const double scale = kFlowHeight / whole;
  for (Stage* stage : {&domains, &budgets, &ends}) Place(*stage, scale);
  const std::size_t most =
      std::max({domains.sizes.size(), budgets.sizes.size(), ends.sizes.size()});
  std::string svg =
      PlotOpen(kFlowHeight + 20 + kFlowGap * static_cast<double>(most),
               "Hours lost: who has to act, which budget paid, how it ended");
  std::ranges::stable_sort(flows, std::ranges::greater(), &Flow::size);
  for (const Flow& flow : flows) {
    const double height = flow.size * scale;
    absl::StrAppend(
        &svg,
        Band(domains, flow.domain, budgets, flow.budget, height, flow.style),
        Band(budgets, flow.budget, ends, flow.end, height, flow.style));
  }
  absl::StrAppend(&svg, Pillars(domains, scale, "start"),
                  Pillars(budgets, scale, "middle"),
                  Pillars(ends, scale, "end"));
  return svg + "</svg>\n";
}

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
