// A failure as it was pasted, and how it goes on when it comes again.
#ifndef MULLIGAN_CLIENT_CLI_DESK_FAILURE_H_
#define MULLIGAN_CLIENT_CLI_DESK_FAILURE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/desk/question.h"
#include "google/protobuf/struct.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// Ends what is decided for one question.
class DeadlineWatch : public Watch {
 public:
  explicit DeadlineWatch(absl::Duration most);

  absl::Status Check() override;
  absl::Duration Spent() override;
  absl::Time deadline() const { return begin_ + most_; }

 private:
  const absl::Time begin_;
  const absl::Duration most_;
};

// One of the workloads that were pasted.
struct WorkloadChoice {
  // "Job ml/train".
  std::string label;
  // "RETRY the pod in 9s".
  std::string verdict;
};

struct Failure {
  // As a suite shows it: a FailureReport, or a DecideRequest where there is
  // more than that.
  google::protobuf::Struct shown;
  // When the question is asked (RFC 3339): as of what was pasted, else the
  // latest time in it, as in suites, else now.
  std::string at;
  // What the ledger was read from; empty: nowhere.
  std::string ledger_source;
  // What of the input was ignored or repaired.
  std::vector<std::string> warnings;
  // The worst first; empty: there is but one.
  std::vector<WorkloadChoice> choices;
  // The label of the one that this is about; empty with one.
  std::string workload;
};

// Reads Kubernetes objects, a report, a request or a line of a decision log,
// whose request is asked again. Of several workloads takes
// `question.workload`, else the one that is worst under `policies`.
// INVALID_ARGUMENT tells what cannot be read.
absl::StatusOr<Failure> ReadFailure(const Question& question,
                                    const PolicySet& policies, Watch& watch);

// One attempt: what was asked, and the answer.
struct Attempted {
  v1::DecideRequest request;
  v1::DecideResponse response;
};

// Shows the failure `question.times` times to `policies`, the ledger of each
// answer with the next; as a case of a suite does. At least one.
absl::StatusOr<std::vector<Attempted>> PlayOut(const Question& question,
                                               const Failure& failure,
                                               const PolicySet& policies,
                                               Watch& watch);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_FAILURE_H_
