#include "policy/operators/trainjob/progress.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::trainjob {
namespace {

constexpr int kMaxPercentage = 100;

FieldErrors Refusals(const TrainerStatus& status) {
  const std::string path = "status.trainerStatus";
  FieldErrors errors;
  if (status.progress_percentage() > kMaxPercentage) {
    errors.push_back(InvalidError(
        ChildField(path, "progressPercentage"), status.progress_percentage(),
        absl::StrFormat("should be less than or equal to %d", kMaxPercentage)));
  }
  CheckNonNegative(ChildField(path, "progressPercentage"),
                   status.progress_percentage(), errors);
  CheckNonNegative(ChildField(path, "estimatedRemainingSeconds"),
                   status.estimated_remaining_seconds(), errors);
  return errors;
}

std::string InvalidMessage(const std::string& name, const FieldError& error) {
  return absl::StrFormat("TrainJob.trainer.kubeflow.org \"%s\" is invalid: %s",
                         name, FormatFieldError(error));
}

}  // namespace

ProgressAnswer PostProgress(const ProgressRequest& request,
                            const std::optional<TrainerStatus>& before) {
  const auto refuse = [&](int code, std::string reason, std::string message) {
    return ProgressAnswer{code, std::move(reason), std::move(message), before};
  };
  if (request.body_size > kMaxProgressBody) {
    return refuse(413, "RequestEntityTooLarge", "Payload too large");
  }
  if (!request.authorized) return refuse(403, "Forbidden", "Forbidden");
  if (!request.readable) return refuse(422, "Invalid", "Invalid payload");
  ProgressAnswer answer;
  answer.trainer_status = before;
  if (!request.trainer_status.has_value()) return answer;
  if (!request.found) return refuse(404, "NotFound", "Train job not found");
  const FieldErrors errors = Refusals(*request.trainer_status);
  if (!errors.empty()) {
    return refuse(422, "Invalid", InvalidMessage(request.name, errors.front()));
  }
  answer.trainer_status = request.trainer_status;
  return answer;
}

}  // namespace mulligan::trainjob
