// The story as text: what people see first.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_STORY_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_STORY_H_

#include "client/cli/print/layout.h"
#include "client/cli/story/story.h"

namespace mulligan::cli {

// What stopped the work, what to do first, both verdicts with their limits, and
// the attempts as a table; without `all` the latest of them.
void WriteStory(const Story& story, bool all, Layout& layout);

// Where the ledger came from, how large it is and how to keep it. With `all`
// the command in full, ledger and all.
void WriteLedger(const LedgerNote& ledger, bool all, Layout& layout);

// The colour of a verdict.
Style VerdictStyle(v1::Decision::Action action);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HUMAN_STORY_H_
