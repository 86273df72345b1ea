// Plots of pages: <svg class="plot"> elements whose classes page.html colours.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
#define MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_

#include <string>
#include <string_view>

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

// A section of a page; nothing without a body. Both texts are HTML.
std::string HtmlSection(std::string_view title, const std::string& body,
                        std::string_view legend = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_PLOT_H_
