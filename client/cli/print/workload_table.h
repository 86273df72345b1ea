// Answers about many workloads: a table for people, an array for programs.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_WORKLOAD_TABLE_H_
#define MULLIGAN_CLIENT_CLI_PRINT_WORKLOAD_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct WorkloadAnswer {
  // "Job ml/train".
  std::string workload;
  absl::StatusOr<v1::DecideResponse> response;
  // What stopped it, with names and numbers; empty: the diagnosis tells.
  std::string headline = {};
};

// "RETRY the pod in 9s", "nothing to do" or "no answer".
std::string VerdictOf(const WorkloadAnswer& answer);

// What has no answer, then what is broken (given up, waiting for its author,
// to be retried, waiting), then what is held, lives or is over; by name where
// that is equal.
void SortWorstFirst(std::vector<WorkloadAnswer>& answers);

// A line a workload, and how many there are of which kind; with `name_more`,
// how to get more about one of them.
std::string FormatWorkloads(const std::vector<WorkloadAnswer>& answers,
                            bool color, bool name_more);

// [{"workload": "Job ml/train", "response": {...}}, {"workload": ..., "error":
// {"code": ..., "message": ...}}]
// Or the same as YAML.
absl::StatusOr<std::string> FormatWorkloadsAs(
    OutputFormat format, const std::vector<WorkloadAnswer>& answers);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_WORKLOAD_TABLE_H_
