// The request that files and flags ask for, the same for explain and decide.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REQUEST_OPTIONS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REQUEST_OPTIONS_H_

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/input/inputs.h"

namespace mulligan::cli {

// Values of the flags; empty or absent means not given.
struct RequestOptions {
  std::vector<std::string> files;
  std::string requests;
  std::string ledger;
  std::string ledger_out;
  std::string failure_id;
  std::optional<int> attempt;
  std::string observed_at;
  std::string policy_name;
  // "job/train" or "train"; empty: all.
  std::string workload;
  std::string explain;
  bool compare_native = false;
};

// Reads the files and applies the flags, which win over what a DecideRequest
// among the files says. Without --observed-at and time in the files, the
// failure was observed `now`: whoever runs the command looks at it. Without
// --explain, people get everything, the operator's verdict included, and
// programs what the server answers by default.
absl::StatusOr<Inputs> MakeRequest(const RequestOptions& options,
                                   OutputFormat format,
                                   const google::protobuf::Timestamp& now,
                                   std::istream& standard_input);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REQUEST_OPTIONS_H_
