// Reads a pasted failure, and decides it and its repetitions.
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

// Ends the decisions of one question after `most`.
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

// One of several pasted workloads.
struct WorkloadChoice {
  // "Job ml/train".
  std::string label;
  // "RETRY the pod in 9s".
  std::string verdict;
};

struct Failure {
  // The failure in a suite's form: a FailureReport, or a DecideRequest if it
  // has other fields.
  google::protobuf::Struct shown;
  // When it is decided (RFC 3339): the report's observedAt, else the record's
  // decidedAt, else the latest time in it, else now.
  std::string at;
  // Where the ledger was read from, or empty.
  std::string ledger_source;
  // What was ignored or repaired in the input.
  std::vector<std::string> warnings;
  // The worst first; empty if there is only one workload.
  std::vector<WorkloadChoice> choices;
  // The label of the chosen workload; empty if there is only one.
  std::string workload;
};

// Reads Kubernetes objects, a report, a request or the request in a line of a
// decision log. Of several workloads chooses `question.workload`, else the
// worst under `policies`. INVALID_ARGUMENT says what cannot be read.
absl::StatusOr<Failure> ReadFailure(const Question& question,
                                    const PolicySet& policies, Watch& watch);

// One attempt: the request and its answer.
struct AnsweredAttempt {
  v1::DecideRequest request;
  v1::DecideResponse response;
};

// Decides the failure `question.times` times under `policies`, each time with
// the ledger of the answer before, as a case of a suite does. Returns at least
// one attempt.
absl::StatusOr<std::vector<AnsweredAttempt>> SimulateAttempts(
    const Question& question, const Failure& failure, const PolicySet& policies,
    Watch& watch);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_FAILURE_H_
