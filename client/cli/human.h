// An answer for people.
#ifndef MULLIGAN_CLIENT_CLI_HUMAN_H_
#define MULLIGAN_CLIENT_CLI_HUMAN_H_

#include <string>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct HumanOptions {
  bool color = false;
  // Also the rules that were tried and the causes that were ruled out.
  bool verbose = false;
};

// `response` in at most 80 columns (paths may be longer): verdict, what it
// follows from, evidence in order of weight, budgets, and what would have
// changed the verdict. Parts that are absent leave no trace.
std::string FormatForPeople(const v1::DecideResponse& response,
                            const HumanOptions& options);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_HUMAN_H_
