// One request, one answer on the output.
#ifndef MULLIGAN_CLIENT_CLI_ANSWER_H_
#define MULLIGAN_CLIENT_CLI_ANSWER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "client/cli/request_options.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

using Decider =
    std::function<absl::StatusOr<v1::DecideResponse>(const v1::DecideRequest&)>;
// Turns the status of a Decider into a message and an exit code.
using FailureHandler = std::function<int(Streams&, const absl::Status&)>;

// Reads the input, asks `decide`, prints the answer, stores the ledger if asked
// to. Warnings about the input are put with those of the answer. Returns the
// exit code.
int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Decider& decide,
              const FailureHandler& fail, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_ANSWER_H_
