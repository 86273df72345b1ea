// An answer for people.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_

#include <string>

#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

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
