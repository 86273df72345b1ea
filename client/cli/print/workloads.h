// Lists the answers about several workloads, one per line.
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
  // What stopped it, with names and numbers; if empty, see the diagnosis.
  std::string headline = {};
  // Index among the stories that go with the list; -1 if it has none.
  int story = -1;
};

// How a verdict is shown.
struct VerdictLook {
  Style style = Style::kBold;
  // Class of an element: "retry", "fail", "wait" or "".
  std::string_view html_class;
};
VerdictLook LookOf(v1::Decision::Action action);

struct WorkloadList {
  // Sorted: without answer, then broken (given up, waiting for its author, to
  // be retried, waiting), then held, alive and finished; equal ones by name.
  std::vector<WorkloadAnswer> answers;
  // Counts before the filter: "40 workloads, 3 broken: 2 CONTAINER_OOM, 1
  // IMAGE_INVALID". Those without an answer count as broken.
  std::string counts;
};

// Selects the workloads to show.
struct WorkloadFilter {
  // With one of these causes, named as in cause.proto; empty for any.
  std::vector<std::string> causes;
  bool broken = false;
};

// Sorts, counts and filters.
WorkloadList ListWorkloads(std::vector<WorkloadAnswer> answers,
                           const WorkloadFilter& filter = {});

// Returns whether someone has to act: the work failed, or its operator retries
// it in vain.
bool IsBroken(const WorkloadAnswer& answer);

// Returns "RETRY the pod in 9s", "nothing to do" or "no answer".
std::string VerdictOf(const WorkloadAnswer& answer);
// Returns "CONTAINER_OOM"; empty without an answer.
std::string CauseNameOf(const WorkloadAnswer& answer);
std::string WhyOf(const WorkloadAnswer& answer);

// Returns the counts, a line per workload and, unless empty, `name_one`, which
// says how to see one in full.
std::string FormatWorkloads(const WorkloadList& list, bool color,
                            std::string_view name_one);

// Returns [{"workload": "Job ml/train", "response": {...}}, {"workload": ...,
// "error": {"code": ..., "message": ...}}], as JSON or YAML.
absl::StatusOr<std::string> FormatWorkloadsAs(OutputFormat format,
                                              const WorkloadList& list);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_WORKLOADS_H_
