// Plots of pages: <svg class="plot"> elements whose classes page.html colours.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
#define MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// In units of the drawing, which is scaled to the page.
inline constexpr double kPlotWidth = 720;

// `title` is what a screen reader says. Ends with "</svg>\n".
std::string PlotOpen(double height, std::string_view title);

// Nothing without an area.
std::string PlotBar(std::string_view style, double x, double y, double width,
                    double height);

// `text` is escaped; `anchor` as of SVG.
std::string PlotText(std::string_view style, double x, double y,
                     std::string_view text, std::string_view anchor = "start");

// A section of a page, of a class or of none; nothing without a body. Title,
// body and legend are HTML.
std::string HtmlSection(std::string_view title, const std::string& body,
                        std::string_view legend = "",
                        std::string_view style = "");

// A list of a page, "ul" or "ol", and a table; nothing without items or rows.
// Titles are texts, everything else is HTML.
std::string HtmlList(const std::vector<std::string>& items,
                     std::string_view element = "ul");
std::string HtmlTable(const std::vector<std::string_view>& titles,
                      const std::vector<std::string>& rows);

// A cell of a row, of a class or of none.
std::string HtmlCell(std::string_view html, std::string_view style = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
