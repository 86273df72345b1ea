// Progress that pods of a TrainJob post to its status endpoint (alpha gate
// TrainJobStatus).
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_PROGRESS_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_PROGRESS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "policy/operators/trainjob/types.h"

namespace mulligan::trainjob {

// Bytes of a request's body the endpoint reads.
inline constexpr std::size_t kMaxProgressBody = std::size_t{1} << 16;

struct ProgressRequest {
  // The token belongs to the TrainJob's own service account.
  bool authorized = true;
  std::size_t body_size = 0;
  // The body could be read as JSON.
  bool readable = true;
  // Its member trainerStatus; nothing when absent.
  std::optional<TrainerStatus> trainer_status;
  // There is such a TrainJob; its name.
  bool found = true;
  std::string name;
};

struct ProgressAnswer {
  int http_code = 200;
  // metav1.Status reason and message; empty with code 200.
  std::string reason;
  std::string message;
  // The TrainJob's trainerStatus afterwards.
  std::optional<TrainerStatus> trainer_status;
};

// What the endpoint answers and what is stored. A post replaces the whole
// status; one without trainerStatus changes nothing; a refused one neither.
ProgressAnswer PostProgress(const ProgressRequest& request,
                            const std::optional<TrainerStatus>& before);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_PROGRESS_H_
