// Files, standard input and the flags about them: the request of `explain` and
// `decide`.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_INPUTS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_INPUTS_H_

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/input/report_builder.h"
#include "mulligan/v1/report.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Largest input taken; the server's limits are lower.
inline constexpr size_t kMaxInputBytes = size_t{256} << 20;

// The whole file, or all of `standard_input` for "-", decompressed where it is
// gzip. NOT_FOUND and INVALID_ARGUMENT name the path.
absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      std::istream& standard_input);

// Writes `text` to `path`. A regular file is replaced as a whole: readers see
// the old or the new content, a crash keeps the old.
absl::Status WriteOutput(const std::string& path, std::string_view text);

struct Inputs {
  // The request about all objects or, where they are of several workloads, what
  // is common to the requests about each.
  v1::DecideRequest request;
  std::vector<std::string> warnings;
  // More than one, or none.
  std::vector<WorkloadReport> workloads;
  // What the objects of the one request are of; empty for reports.
  std::vector<WorkloadGroup> groups;
  // What the ledger was read from; empty: nowhere.
  std::string ledger_source;
};

// What all of `paths` hold; see ReportBuilder for what that may be.
absl::StatusOr<Inputs> ReadInputs(const std::vector<std::string>& paths,
                                  std::istream& standard_input);

// The ledger in a file: a BudgetLedger or, for convenience, a DecideResponse
// that holds one, in proto JSON or YAML. An empty file is a first failure.
absl::StatusOr<v1::BudgetLedger> ReadLedger(const std::string& path,
                                            std::istream& standard_input);

// Values of the flags; empty or absent means not given.
struct RequestOptions {
  std::vector<std::string> files;
  std::string requests;
  std::string ledger;
  std::string ledger_out;
  std::string failure_id;
  // Each SOURCE:CAUSE[:CONFIDENCE[:TEXT]].
  std::vector<std::string> hints;
  // Each BUDGET=N.
  std::vector<std::string> limits;
  std::optional<int> attempt;
  std::string observed_at;
  std::string policy_name;
  // "job/train" or "train"; empty: all.
  std::string workload;
  std::string explain;
  bool compare_native = false;
  // Of several workloads, those to tell of: with one of these causes, as
  // cause.proto names them (empty: any), and broken ones only.
  std::vector<std::string> causes;
  bool broken = false;
  // How one of several workloads is asked for, in the words of who calls.
  std::string name_one = "--workload KIND/NAME";
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

// SOURCE:CAUSE[:CONFIDENCE[:TEXT]], "node-health:GPU_FAULT:MEDIUM:Xid 79"; the
// text may have colons. INVALID_ARGUMENT names the part, its value and the
// expected form.
absl::StatusOr<v1::Hint> ParseHint(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_INPUTS_H_
