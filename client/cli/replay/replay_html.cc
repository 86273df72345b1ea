
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/numbers.h"
#include "client/cli/print/html.h"
#include "client/cli/replay/replay.h"

namespace mulligan::cli {
namespace {

// In units of the drawing.
constexpr double kWidth = kPlotWidth;
constexpr double kDayHeight = 150;
constexpr double kAxisHeight = 22;
constexpr double kAbove = 18;
constexpr double kRowHeight = 34;
constexpr double kBarTop = 17;
constexpr double kBarHeight = 11;
constexpr double kMaxDays = 5;  // with their date below
constexpr std::size_t kMaxPlotRows = 15;

// Returns the length of `part`, at least 1 so that it is visible.
double Length(Count part, Count whole, double length) {
  if (part <= 0 || whole <= 0) return 0;
  return std::max(
      1.0, length * static_cast<double>(part) / static_cast<double>(whole));
}

// Decisions per day, with those that would change at the bottom. Empty for
// fewer than two days.
std::string DayPlot(const Tallies& by_day) {
  const auto& days = by_day.all();
  if (days.size() < 2) return "";
  Count most = 1;
  for (const auto& [day, tally] : days) most = std::max(most, tally.decisions);
  const double ground = kAbove + kDayHeight;
  std::string svg = PlotOpen(ground + kAxisHeight,
                             "Decisions a day, and those that would change");
  svg +=
      PlotText("note", 0, 12, absl::StrCat(WithCommas(most), " a day at most"));
  const double step = kWidth / static_cast<double>(days.size());
  const double width = std::max(0.5, std::min(step * 0.8, 40.0));
  const auto each_date = static_cast<std::size_t>(
      std::max(1.0, static_cast<double>(days.size()) / kMaxDays));
  std::size_t number = 0;
  for (const auto& [day, tally] : days) {
    const double x = step * static_cast<double>(number) + (step - width) / 2;
    const double all = Length(tally.decisions, most, kDayHeight);
    const double changed = Length(tally.changed(), most, kDayHeight);
    absl::StrAppend(&svg, PlotBar("all", x, ground - all, width, all),
                    PlotBar("changed", x, ground - changed, width, changed));
    if (number % each_date == 0) {
      svg += PlotText("note", x, ground + 15, day);
    }
    ++number;
  }
  absl::StrAppendFormat(
      &svg, "<path class=\"axis\" d=\"M0 %g H%g\"/>\n</svg>\n", ground, kWidth);
  return svg;
}

// Shows how many decisions of each name would change, the most first.
std::string SharePlot(const Tallies& tallies, const std::string& title) {
  auto rows = MostChangedFirst(tallies);
  if (rows.empty()) return "";
  if (rows.size() > kMaxPlotRows) rows.resize(kMaxPlotRows);
  Count most = 1;
  for (const auto& [name, tally] : rows) most = std::max(most, tally.decisions);
  std::string svg =
      PlotOpen(kRowHeight * static_cast<double>(rows.size()), title);
  double top = 0;
  for (const auto& [name, tally] : rows) {
    const Count changed = tally.changed();
    const std::string share =
        absl::StrCat(WithCommas(changed), " of ", WithCommas(tally.decisions),
                     ", ", Percent(changed, tally.decisions));
    absl::StrAppend(&svg, PlotText("name", 0, top + 12, name),
                    PlotText("note", kWidth, top + 12, share, "end"),
                    PlotBar("all", 0, top + kBarTop,
                            Length(tally.decisions, most, kWidth), kBarHeight));
    svg += PlotBar("changed", 0, top + kBarTop, Length(changed, most, kWidth),
                   kBarHeight);
    top += kRowHeight;
  }
  return svg + "</svg>\n";
}

// Shows what each budget paid, above what it would pay.
std::string BudgetPlot(const std::map<std::string, Charges>& budgets) {
  if (budgets.empty()) return "";
  const std::size_t rows = std::min(budgets.size(), kMaxPlotRows);
  Count most = 1;
  for (const auto& [name, charges] : budgets) {
    most = std::max({most, charges.recorded, charges.replayed});
  }
  std::string svg = PlotOpen(kRowHeight * static_cast<double>(rows),
                             "What each budget paid, and what it would pay");
  double top = 0;
  const auto end =
      std::next(budgets.begin(), static_cast<std::ptrdiff_t>(rows));
  for (auto row = budgets.begin(); row != end; ++row) {
    const auto& [name, charges] = *row;
    absl::StrAppend(
        &svg, PlotText("name", 0, top + 12, name),
        PlotText("note", kWidth, top + 12,
                 absl::StrCat(WithCommas(charges.recorded), " charged, ",
                              WithCommas(charges.replayed), " would be"),
                 "end"));
    absl::StrAppend(
        &svg,
        PlotBar("all", 0, top + kBarTop, Length(charges.recorded, most, kWidth),
                kBarHeight / 2),
        PlotBar("changed", 0, top + kBarTop + kBarHeight / 2,
                Length(charges.replayed, most, kWidth), kBarHeight / 2));
    top += kRowHeight;
  }
  return svg + "</svg>\n";
}

std::string Head(const ReplayResult& result, std::string_view policies) {
  const Count changed = result.all.changed();
  std::string html = absl::StrFormat(
      "<header class=\"story\">\n<p class=\"eyebrow\">Replay under %s</p>\n"
      "<h1>%s of %s decisions would change (%s)</h1>\n"
      "<dl class=\"facts\">\n",
      Escaped(policies), WithCommas(changed), WithCommas(result.all.decisions),
      Percent(changed, result.all.decisions));
  absl::StrAppend(
      &html,
      Fact("Revision",
           absl::StrCat("<code>", Escaped(result.revision), "</code>")),
      Fact("Would have no answer", WithCommas(result.no_answer)),
      Fact("Blanked in part", WithCommas(result.redacted)),
      Fact("Lines not readable", WithCommas(result.bad_lines)));
  return html + "</dl>\n</header>\n";
}

std::string CountTable(const std::map<std::string, Count>& counts,
                       std::string_view title) {
  std::vector<std::string> rows;
  for (const auto& [name, count] : MostFirst(counts)) {
    rows.push_back(HtmlCell(Escaped(name)) +
                   HtmlCell(WithCommas(count), "number"));
  }
  return HtmlTable({title, "Decisions"}, rows);
}

std::string ExampleList(const ReplayResult& result) {
  std::vector<std::string> items;
  for (const auto& [place, example] : result.examples.all()) {
    items.push_back(absl::StrFormat(
        "<b>%s</b>: %s<br/><span class=\"soft\">was</span> %s<br/>"
        "<span class=\"soft\">now</span> %s<br/>"
        "<code>%s</code> <code>%s</code>",
        Escaped(example.workload), Escaped(example.change),
        Escaped(example.recorded), Escaped(example.replayed),
        Escaped(example.decision_id), Escaped(place.Text())));
  }
  return HtmlList(items, "ol");
}

std::string BadList(const ReplayResult& result) {
  std::vector<std::string> items;
  for (const auto& [place, why] : result.bad.all()) {
    items.push_back(absl::StrFormat("<code>%s</code>: %s",
                                    Escaped(place.Text()), Escaped(why)));
  }
  return HtmlList(items);
}

}  // namespace

std::string ReplayHtml(const ReplayResult& result, std::string_view policies) {
  return HtmlDocument("What the policies would have decided",
                      ReplayArticle(result, policies));
}

std::string ReplayArticle(const ReplayResult& result,
                          std::string_view policies) {
  constexpr std::string_view kLegend =
      "<span class=\"key changed\"></span> would change "
      "<span class=\"key all\"></span> stay as they are";
  std::string html = absl::StrCat("<article>\n", Head(result, policies));
  absl::StrAppend(
      &html,
      HtmlSection("What changes", CountTable(result.all.changes, "Change")),
      HtmlSection("In what they differ",
                  CountTable(result.differences, "Difference"),
                  "One decision may differ in several."),
      HtmlSection("By day", DayPlot(result.by_day), kLegend));
  absl::StrAppend(
      &html,
      HtmlSection("By cause", SharePlot(result.by_cause, "Changes by cause"),
                  kLegend),
      HtmlSection("By policy", SharePlot(result.by_policy, "Changes by policy"),
                  kLegend),
      HtmlSection("By kind", SharePlot(result.by_kind, "Changes by kind"),
                  kLegend));
  absl::StrAppend(
      &html,
      HtmlSection("Who pays", BudgetPlot(result.budgets),
                  "<span class=\"key all\"></span> was charged "
                  "<span class=\"key changed\"></span> would be charged"),
      HtmlSection("The first that change", ExampleList(result)),
      HtmlSection("Lines that could not be read", BadList(result)));
  return html + "</article>\n";
}

}  // namespace mulligan::cli
