// Makes the request of `explain` and `decide` from files, standard input and
// their flags.
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

// The largest input in bytes; the server's limits are lower.
inline constexpr size_t kMaxInputBytes = size_t{256} << 20;

// Returns the whole file, or all of `standard_input` for "-", decompressed if
// it is gzip. NOT_FOUND and INVALID_ARGUMENT name the path.
absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      std::istream& standard_input);

// Writes `text` to `path`. Replaces a regular file atomically: readers see the
// old or the new content, and a crash keeps the old.
absl::Status WriteOutput(const std::string& path, std::string_view text);

struct Inputs {
  // The request about all objects. With several workloads, only what their
  // requests share.
  v1::DecideRequest request;
  std::vector<std::string> warnings;
  // Empty unless there are several workloads.
  std::vector<WorkloadReport> workloads;
  // The workloads of the objects in `request`; empty if it came as a report.
  std::vector<WorkloadGroup> groups;
  // The file the ledger was read from, or empty.
  std::string ledger_source;
};

// Reads all of `paths`; see ReportBuilder for the accepted formats.
absl::StatusOr<Inputs> ReadInputs(const std::vector<std::string>& paths,
                                  std::istream& standard_input);

// Reads a BudgetLedger from a file in proto JSON or YAML, or from the `ledger`
// of a DecideResponse. An empty file means a first failure.
absl::StatusOr<v1::BudgetLedger> ReadLedger(const std::string& path,
                                            std::istream& standard_input);

// Values of the flags; empty or absent if not given.
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
  // "job/train" or "train"; empty for all.
  std::string workload;
  std::string explain;
  bool compare_native = false;
  // Text also says why, with the evidence, the budgets and the ledger.
  bool details = false;
  // With several workloads, shows only those with one of these causes (named as
  // in cause.proto; empty for any), or only broken ones.
  std::vector<std::string> causes;
  bool broken = false;
  // How the caller's users select one workload; for error messages.
  std::string name_one = "--workload KIND/NAME";
};

// Reads the files and applies the flags, which override a DecideRequest in the
// files. Without --observed-at or a time in the files, the failure was observed
// `now`. Without --explain, formats for people get everything, including the
// operator's verdict; the others get the server's default.
absl::StatusOr<Inputs> MakeRequest(const RequestOptions& options,
                                   OutputFormat format,
                                   const google::protobuf::Timestamp& now,
                                   std::istream& standard_input);

// Parses SOURCE:CAUSE[:CONFIDENCE[:TEXT]], as in
// "node-health:GPU_FAULT:MEDIUM:Xid 79"; TEXT may have colons. INVALID_ARGUMENT
// names the part, its value and the expected form.
absl::StatusOr<v1::Hint> ParseHint(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_INPUTS_H_
