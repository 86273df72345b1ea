// The parts of an answer as text; the story is what people see first.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_

#include <string>
#include <vector>

#include "client/cli/print/layout.h"
#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// "  Price      nothing"; nothing without a text.
void WriteFact(Layout& layout, std::string_view name, const std::string& text,
               Style style = Style::kBold);

// What was observed, heaviest first, with the path it was read at, and what the
// headline quotes besides.
void WriteEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

// Budgets after the decision as a table; the one that paid is marked. Without
// `all`, those never used are named below it.
void WriteBudgets(const v1::Accounting& accounting, bool all, Layout& layout);

// A cause that did not win.
struct Rejected {
  std::string name;
  std::string why;
  // Possible still: evidence for or against it is missing.
  bool open;
};
std::vector<Rejected> RejectedCauses(const v1::Diagnosis& diagnosis);

// Causes that did not win: those that were ruled out and those that were not.
void WriteConsidered(const v1::Diagnosis& diagnosis, Layout& layout);

// Rules that did not match.
void WriteRulesTried(const v1::Explanation& explanation, Layout& layout);

// Changes that would have flipped the verdict.
void WriteCounterfactuals(const v1::Explanation& explanation, Layout& layout);

// What to fetch to be surer.
void WriteNeededEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

void WriteWarnings(const v1::DecideResponse& response, Layout& layout);
// What was decided about failures that share no fate with the one at hand.
void WriteSeparate(const v1::DecideResponse& response, Layout& layout);

// "<embedded>:12", "train.yaml:3", or empty without a file.
std::string RulePlace(const v1::RuleReference& rule);

// What stopped the work, what to do first, both verdicts with their limits, and
// the attempts as a table; without `all` the latest of them.
void WriteStory(const Story& story, bool all, Layout& layout);

// Where the ledger came from, how large it is and how to keep it. With `all`
// the command in full, ledger and all.
void WriteLedger(const LedgerNote& ledger, bool all, Layout& layout);

struct HumanOptions {
  bool color = false;
  // Also the rules that were tried, the causes that were ruled out, every
  // attempt and the ledger.
  bool verbose = false;
  // Also what the operator says, word by word, and how it differs.
  bool native = false;
};

// `response` in at most 80 columns (paths may be longer): the story, what the
// verdict follows from, evidence in order of weight, budgets, and what would
// have changed it. Parts that are absent leave no trace.
std::string FormatForPeople(const Story& story,
                            const v1::DecideResponse& response,
                            const HumanOptions& options);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
