// One request, one answer on the output.
#ifndef MULLIGAN_CLIENT_CLI_ANSWER_H_
#define MULLIGAN_CLIENT_CLI_ANSWER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/policy_files.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Whom a command asks.
struct Answerer {
  std::function<absl::StatusOr<v1::DecideResponse>(const v1::DecideRequest&)>
      decide;
  // Turns the status of `decide` into a message and an exit code.
  std::function<int(Streams&, const absl::Status&)> fail;
  // The lines of a rule; empty where the policy is not at hand.
  std::function<RuleLines(const v1::RuleReference&)> rule_lines;
};

// Reads the input, asks, prints the answer, stores the ledger if asked to.
// Warnings about the input are put with those of the answer. Returns the exit
// code.
int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Answerer& answerer,
              Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_ANSWER_H_
