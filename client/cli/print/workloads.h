// The answers about several workloads: a line each.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_WORKLOADS_H_
#define MULLIGAN_CLIENT_CLI_PRINT_WORKLOADS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/print/layout.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct WorkloadAnswer {
  // "Job ml/train".
  std::string workload;
  absl::StatusOr<v1::DecideResponse> response;
  // What stopped it, with names and numbers; empty: the diagnosis tells.
  std::string headline = {};
  // Its place among the stories that go with the list; -1: it has none.
  int story = -1;
};

// How a verdict looks.
struct VerdictLook {
  Style style = Style::kBold;
  // Of an element: "retry", "fail", "wait" or "".
  std::string_view html_class;
};
VerdictLook LookOf(v1::Decision::Action action);

// Those that are told of.
struct WorkloadList {
  // What has no answer, then what is broken (given up, waiting for its author,
  // to be retried, waiting), then what is held, lives or is over; by name where
  // that is equal.
  std::vector<WorkloadAnswer> answers;
  // Of all that were asked about: "40 workloads, 3 broken: 2 CONTAINER_OOM, 1
  // IMAGE_INVALID". Without an answer counts as broken.
  std::string counts;
};

// Which of them are told of.
struct WorkloadFilter {
  // With one of these, as cause.proto names them; empty: any.
  std::vector<std::string> causes;
  bool broken = false;
};

// Sorts, counts and filters.
WorkloadList ListWorkloads(std::vector<WorkloadAnswer> answers,
                           const WorkloadFilter& filter = {});

// Returns whether somebody has to act: the work has failed, or its operator
// retries it in vain.
bool IsBroken(const WorkloadAnswer& answer);

// "RETRY the pod in 9s", "nothing to do" or "no answer".
std::string VerdictOf(const WorkloadAnswer& answer);
// "CONTAINER_OOM"; empty without an answer.
std::string CauseNameOf(const WorkloadAnswer& answer);
std::string WhyOf(const WorkloadAnswer& answer);

// The counts and a line a workload; below them `name_one`, how to get more
// about one of them, unless it is empty.
std::string FormatWorkloads(const WorkloadList& list, bool color,
                            std::string_view name_one);

// [{"workload": "Job ml/train", "response": {...}}, {"workload": ..., "error":
// {"code": ..., "message": ...}}]
// Or the same as YAML.
absl::StatusOr<std::string> FormatWorkloadsAs(OutputFormat format,
                                              const WorkloadList& list);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_WORKLOADS_H_
