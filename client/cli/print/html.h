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

// Returns Mulligan's verdict next to the operator's, and how they differ.
std::string VerdictCards(const AnswerView& view);
std::string AttemptTable(const Story& story);
std::string TimelineSection(const AnswerView& view);
std::string EvidenceSection(const AnswerView& view);
std::string BudgetSection(const v1::Accounting& accounting);
// Returns the rule with its lines.
std::string RuleSection(const AnswerView& view);
// Returns rejected causes, what would change the verdict, and what would make
// the diagnosis surer.
std::string ReasoningSection(const v1::DecideResponse& response);
// Returns the decisions on failures independent of the current one.
std::string SeparateSection(const v1::DecideResponse& response);
std::string WarningSection(const v1::DecideResponse& response);
std::string LedgerSection(const LedgerNote& ledger);

// Returns an <svg> element with an axis in UTC. `title` is for screen readers.
// Roles differ in shape, not only in colour. Events are numbered in timeline
// order. Empty without lanes and events.
std::string TimelineSvg(const Timeline& timeline, const std::string& title);

// Returns page.html, the frame of all pages, with {{title}} and {{body}} to
// replace. Its style sheet has system fonts, one accent colour, light and dark
// schemes, and layouts from phones to paper.
std::string_view PageTemplate();
// Returns the style sheet in it.
std::string_view PageStyle();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_H_
