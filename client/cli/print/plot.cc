#include "client/cli/print/plot.h"

#include "absl/strings/str_cat.h"
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
                        std::string_view legend, std::string_view style) {
  if (body.empty()) return "";
  return absl::StrFormat(
      "<section%s>\n<h2>%s</h2>\n%s%s</section>\n",
      style.empty() ? "" : absl::StrFormat(" class=\"%s\"", style), title, body,
      legend.empty() ? ""
                     : absl::StrFormat("<p class=\"legend\">%s</p>\n", legend));
}

std::string HtmlList(const std::vector<std::string>& items,
                     std::string_view element) {
  std::string html;
  for (const std::string& item : items) {
    absl::StrAppend(&html, "<li>", item, "</li>\n");
  }
  return html.empty()
             ? html
             : absl::StrFormat("<%s>\n%s</%s>\n", element, html, element);
}

std::string HtmlTable(const std::vector<std::string_view>& titles,
                      const std::vector<std::string>& rows) {
  if (rows.empty()) return "";
  std::string html = "<table><thead><tr>";
  for (const std::string_view title : titles) {
    absl::StrAppendFormat(&html, "<th>%s</th>", title);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : rows) {
    absl::StrAppend(&html, "<tr>", row, "</tr>\n");
  }
  return html + "</tbody></table>\n";
}

std::string HtmlCell(std::string_view html, std::string_view style) {
  return style.empty()
             ? absl::StrFormat("<td>%s</td>", html)
             : absl::StrFormat("<td class=\"%s\">%s</td>", style, html);
}

}  // namespace mulligan::cli
