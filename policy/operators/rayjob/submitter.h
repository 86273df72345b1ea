// The submitter: the Job or container that submits the application to Ray and
// follows its logs.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_

#include <optional>
#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// How the submitter stands.
struct SubmitterState {
  bool failed = false;
  // For a failed one: what the operator writes unless Ray said FAILED.
  std::string message;
  // Absent while it runs.
  std::optional<google::protobuf::Timestamp> finished_at;
};

// By the condition Failed, Complete of the submitter Job.
SubmitterState StateOfSubmitterJob(const Job& job);

// By the submitter container of the head pod. With its gate it may restart as
// often as submitterConfig.backoffLimit says, 2 without one.
SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_
