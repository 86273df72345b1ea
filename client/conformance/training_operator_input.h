// From the JSON of training-operator v1 cases to jobs and pods.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/conformance/case.h"
#include "policy/native/training_operator_kinds.h"
#include "policy/native/training_operator_reconcile.h"
#include "policy/native/training_operator_types.h"

namespace mulligan::conformance {

// A job of one kind with its pods, built up and then reconciled.
class TrainingScene {
 public:
  // The kind is the one whose controller the case's source names; else TFJob.
  explicit TrainingScene(const CaseInput& input);

  training_operator::TrainingJob& job() { return job_; }
  const training_operator::TrainingJob& job() const { return job_; }
  const training_operator::Kind& kind() const { return kind_; }
  std::size_t NumberOfPods() const { return pods_.size(); }
  training_operator::Version& version() { return version_; }

  // The replica spec of a type, made when there is none.
  training_operator::ReplicaSpec& Replica(const std::string& type);

  // Adds the next pod of a type; with a code, its container has ended so.
  training_operator::Pod& AddPod(const std::string& type,
                                 std::string_view phase,
                                 std::optional<std::int32_t> exit_code);

  training_operator::Pass Reconcile();
  // The same without writing status: what each decision function says.
  bool IsWorker0Completed();
  std::string SuccessPolicyCondition();
  std::int64_t CountedRestarts();

 private:
  training_operator::Scene Scene();

  const training_operator::Kind& kind_;
  training_operator::TrainingJob job_;
  training_operator::Version version_;
  std::deque<training_operator::Pod> pods_;
  std::map<std::string, int> next_index_;
  training_operator::Replicas replicas_;
  training_operator::Pods pointers_;
};

// Pods as {"phase": ..., "exitCode": ..., "restartCount": ..., "reason": ...,
// "count": ...}.
absl::Status AddPodsFrom(const Json& json, const std::string& type,
                         TrainingScene& scene);

// Reads input.spec into the job: the operator's own members, or in short
// {"chief": true, "workers": 4, "ps": 2, "successPolicy": ...}.
absl::Status ReadSpec(const Json& input, TrainingScene& scene);

// Reads pods out of input.event: "launcherPod", "workerPods", ...; "pod" is a
// worker. What else is in the event must be in `known`.
absl::Status ReadEventPods(const Json& input,
                           std::initializer_list<std::string_view> known,
                           TrainingScene& scene);

// Facts every pass yields.
Json TrainingPassFacts(const training_operator::Pass& pass,
                       std::size_t number_of_pods);

// Reads input.runPolicy, and the changes of event.specUpdate to it.
absl::Status ReadRunPolicy(const Json& input,
                           training_operator::RunPolicy& policy);

// Reads input.statusBefore or input.status.
absl::Status ReadStatus(const Json& input,
                        training_operator::JobStatus& status);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_INPUT_H_
