// Renders an answer as one page to attach to a ticket: without scripts or
// external resources, in the reader's light or dark scheme.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HTML_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HTML_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/input/policy_files.h"
#include "client/cli/print/workloads.h"
#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// What a page shows about one workload.
struct AnswerView {
  Story story;
  v1::FailureReport report;
  v1::DecideResponse response;
  // The rule that decided; empty if its policy is unavailable.
  RuleLines rule;
};

// Returns a page around `body`. Both arguments are HTML.
std::string HtmlDocument(const std::string& title, const std::string& body);

// Returns the page of one workload. Escapes all text from outside.
std::string HtmlPage(const AnswerView& view);

// Returns only the article, for a page that has the style sheet.
std::string HtmlArticle(const AnswerView& view);

// Returns the page of many workloads: the table, then the articles of the first
// fifty broken ones.
std::string HtmlPages(const WorkloadList& list,
                      const std::vector<AnswerView>& views,
                      std::string_view name_one);

// Returns `text` for an element or a quoted attribute, on one line. Deceptive
// characters are escaped visibly (policy/base/utf8.h).
std::string Escaped(std::string_view text);

// Returns an item of the facts in a page's head; empty for empty `html`.
std::string Fact(std::string_view name, const std::string& html);

// Returns an <svg> element with an axis in UTC. `title` is for screen readers.
// Roles differ in shape, not only in colour. Events are numbered in timeline
// order. Empty without lanes and events.
std::string TimelineSvg(const Timeline& timeline, const std::string& title);

// Plots are <svg class="plot"> elements with page.html's colours.
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

// Returns page.html, the frame of all pages, with {{title}} and {{body}} to
// replace. Its style sheet has system fonts, one accent colour, light and dark
// schemes, and layouts from phones to paper.
std::string_view PageTemplate();
// Returns the style sheet in it.
std::string_view PageStyle();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_H_
