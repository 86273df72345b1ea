// Writes the parts of an answer as text, the story first.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_

#include <string>
#include <vector>

#include "client/cli/print/layout.h"
#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Writes "  Price      nothing"; writes nothing if `text` is empty.
void WriteFact(Layout& layout, std::string_view name, const std::string& text,
               Style style = Style::kBold);

// Writes the evidence with its paths, heaviest first, then other evidence that
// the headline quotes.
void WriteEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

// Writes the budgets after the decision as a table, with the paying one marked.
// Without `all`, unused ones are only named below it.
void WriteBudgets(const v1::Accounting& accounting, bool all, Layout& layout);

// A cause that was considered and not chosen.
struct Rejected {
  std::string name;
  std::string why;
  // Still possible, because evidence is missing.
  bool open;
};
std::vector<Rejected> RejectedCauses(const v1::Diagnosis& diagnosis);

// Writes the rejected causes.
void WriteConsidered(const v1::Diagnosis& diagnosis, Layout& layout);

// Writes the rules that did not match.
void WriteRulesTried(const v1::Explanation& explanation, Layout& layout);

// Writes the changes that would have flipped the verdict.
void WriteCounterfactuals(const v1::Explanation& explanation, Layout& layout);

// Writes what to fetch to be surer.
void WriteNeededEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

void WriteWarnings(const v1::DecideResponse& response, Layout& layout);
// Writes the decisions on failures independent of the current one.
void WriteSeparate(const v1::DecideResponse& response, Layout& layout);

// Returns "<embedded>:12" or "train.yaml:3"; empty without a file.
std::string RulePlace(const v1::RuleReference& rule);

// Writes what stopped the work, what to do first, both verdicts with their
// limits, and the attempts as a table; without `all`, only the latest.
void WriteStory(const Story& story, bool all, Layout& layout);

// Writes where the ledger came from, its size and how to store it; with `all`,
// the complete command.
void WriteLedger(const LedgerNote& ledger, bool all, Layout& layout);

struct HumanOptions {
  bool color = false;
  // Adds the verdict's basis, evidence, budgets, what would change the verdict,
  // and the ledger.
  bool details = false;
  // Adds the details, the rules that were tried, the causes that were ruled
  // out, all attempts and the whole ledger.
  bool verbose = false;
  // Adds the operator's message, and how its verdict differs.
  bool native = false;
};

// Returns `response` in at most 80 columns (paths may be longer): the story,
// other failures and warnings, then what `options` add. Absent parts are
// omitted.
std::string FormatForPeople(const Story& story,
                            const v1::DecideResponse& response,
                            const HumanOptions& options);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
