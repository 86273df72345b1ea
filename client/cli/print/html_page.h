// An answer as one page to attach to a ticket: no script, nothing from outside,
// light or dark as the reader has it.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HTML_PAGE_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HTML_PAGE_H_

#include <string>
#include <vector>

#include "client/cli/input/policy_files.h"
#include "client/cli/print/workload_table.h"
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

// A page about many: a table of `answers`, then what is told about each that is
// broken.
std::string HtmlPages(const std::vector<WorkloadAnswer>& answers,
                      const std::vector<Told>& told);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_PAGE_H_
