#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/plot.h"
#include "client/cli/report/report_plots.h"
#include "client/cli/report/report_words.h"

namespace mulligan::cli {
namespace {

// One column of the flow: names with where they stand, from above.
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

}  // namespace

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
      const double size = DrawnSize(report, At(costs, end));
      if (size < whole / 1000) continue;
      const Flow& flow = flows.emplace_back(
          Flow{DomainText(names.first), styles.at(names.first),
               names.second.empty() ? "nobody paid" : names.second,
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

}  // namespace mulligan::cli
