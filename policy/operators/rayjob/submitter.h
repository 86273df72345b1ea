// The submitter: the Job or container that submits the application to Ray and
// follows its logs.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

inline constexpr std::string_view kSubmitterContainerName = "ray-job-submitter";

// The inner budget: backoffLimit of the submitter Job (K8sJobMode), or the
// restarts of the submitter container (SidecarMode with its gate). 2 unless
// submitterConfig says otherwise.
std::int64_t SubmitterBackoffLimit(const RayJobSpec& spec);

// Whether a restarting submitter container has used up `limit` restarts. One
// that just ended well has not.
bool IsRestartCountExceeded(const ContainerStatus& submitter,
                            std::int64_t limit);

// The submitter container's status in the head pod; null when there is none.
const ContainerStatus* SubmitterContainer(const Pod& head_pod);

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
// By the submitter container of the head pod; null: the head pod is gone, which
// is not the submitter's failure.
SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings);

// Fails the attempt: AppFailed when Ray already said FAILED, else
// SubmissionFailed with the submitter's message.
void FailForSubmitter(const SubmitterState& submitter, RayJobStatus& status);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_SUBMITTER_H_
