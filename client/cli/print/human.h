// Writes an answer as text, the story first.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_H_

#include <string>
#include <vector>

#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// A cause that was considered and not chosen.
struct Rejected {
  std::string name;
  std::string why;
  // Still possible, because evidence is missing.
  bool open;
};
std::vector<Rejected> RejectedCauses(const v1::Diagnosis& diagnosis);

// Returns "<embedded>:12" or "train.yaml:3"; empty without a file.
std::string RulePlace(const v1::RuleReference& rule);

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
