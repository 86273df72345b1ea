// An answer as one page to attach to a ticket: no script, nothing from outside,
// light or dark as the reader has it.
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

// All that is told about one workload.
struct Told {
  Story story;
  v1::FailureReport report;
  v1::DecideResponse response;
  // Of the rule that decided; empty where the policy is not at hand.
  RuleLines rule;
};

// A whole page around `body`; both are HTML.
std::string HtmlDocument(const std::string& title, const std::string& body);

// The page about one workload. Every text from outside is escaped.
std::string HtmlPage(const Told& told);

// Its article alone, for a page that has the style sheet.
std::string HtmlArticle(const Told& told);

// A page about many: the table, then what is told about those that are broken,
// of a long list the first fifty of them.
std::string HtmlPages(const WorkloadList& list, const std::vector<Told>& told,
                      std::string_view name_one);

// `text` for an element or an attribute in double quotes, on one line; what
// could deceive as its escape (policy/base/utf8.h).
std::string Escaped(std::string_view text);

// An item of the list of facts in the head of a page; nothing for nothing.
std::string Fact(std::string_view name, const std::string& html);

// Our verdict and the operator's, side by side, and how they differ.
std::string VerdictCards(const Told& told);
std::string AttemptTable(const Story& story);
std::string TimelineSection(const Told& told);
std::string EvidenceSection(const Told& told);
std::string BudgetSection(const v1::Accounting& accounting);
// The rule with its lines.
std::string RuleSection(const Told& told);
// Causes that did not win, what would change the verdict, what would make it
// surer.
std::string ReasoningSection(const v1::DecideResponse& response);
// What was decided about failures that share no fate with the one at hand.
std::string SeparateSection(const v1::DecideResponse& response);
std::string WarningSection(const v1::DecideResponse& response);
std::string LedgerSection(const LedgerNote& ledger);

// An <svg> element with an axis in UTC; `title` is what a screen reader says.
// Roles differ in shape and not in colour alone. Events are numbered in the
// order of the timeline. Empty without lanes and events.
std::string TimelineSvg(const Timeline& timeline, const std::string& title);

// page.html: what every page is, with {{title}} and {{body}} to be filled in.
// Its style sheet: system fonts, one accent colour, light and dark, phone to
// wide screen, and paper.
std::string_view PageTemplate();
// The style sheet in it.
std::string_view PageStyle();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_H_
