// Plots for pages: <svg class="plot"> elements with page.html's colours.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
#define MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// In units of the drawing, which scales to the page.
inline constexpr double kPlotWidth = 720;

// `title` is for screen readers. Ends with "</svg>\n".
std::string PlotOpen(double height, std::string_view title);

// Empty if it has no area.
std::string PlotBar(std::string_view style, double x, double y, double width,
                    double height);

// Escapes `text`; `anchor` is SVG's text-anchor.
std::string PlotText(std::string_view style, double x, double y,
                     std::string_view text, std::string_view anchor = "start");

// Returns a section of a page; empty if `body` is. Title, body and legend are
// HTML.
std::string HtmlSection(std::string_view title, const std::string& body,
                        std::string_view legend = "",
                        std::string_view style = "");

// Returns a list ("ul" or "ol") or a table; empty without items or rows. All
// arguments are HTML.
std::string HtmlList(const std::vector<std::string>& items,
                     std::string_view element = "ul");
std::string HtmlTable(const std::vector<std::string_view>& titles,
                      const std::vector<std::string>& rows);

// Returns a cell of a row, with an optional class.
std::string HtmlCell(std::string_view html, std::string_view style = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
