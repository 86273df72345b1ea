#include "client/cli/print/plot.h"

#include "absl/strings/str_format.h"
#include "client/cli/print/html.h"

namespace mulligan::cli {

std::string PlotOpen(double height, std::string_view title) {
  return absl::StrFormat(
      "<svg class=\"plot\" viewBox=\"0 0 %g %g\" role=\"img\">"
      "<title>%s</title>\n",
      kPlotWidth, height, Escaped(title));
}

std::string PlotBar(std::string_view style, double x, double y, double width,
                    double height) {
  if (width <= 0 || height <= 0) return "";
  return absl::StrFormat(
      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
      "height=\"%.1f\"/>\n",
      style, x, y, width, height);
}

std::string PlotText(std::string_view style, double x, double y,
                     std::string_view text, std::string_view anchor) {
  return absl::StrFormat(
      "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
      style, x, y, anchor, Escaped(text));
}

std::string HtmlSection(std::string_view title, const std::string& body,
                        std::string_view legend) {
  if (body.empty()) return "";
  return absl::StrFormat(
      "<section>\n<h2>%s</h2>\n%s%s</section>\n", title, body,
      legend.empty() ? ""
                     : absl::StrFormat("<p class=\"legend\">%s</p>\n", legend));
}

}  // namespace mulligan::cli
