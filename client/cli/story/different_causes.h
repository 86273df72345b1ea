// A Job whose pods failed for different reasons: the last one is not the story.
#ifndef MULLIGAN_CLIENT_CLI_STORY_DIFFERENT_CAUSES_H_
#define MULLIGAN_CLIENT_CLI_STORY_DIFFERENT_CAUSES_H_

#include <string>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct DifferentCauses {
  // "3 attempts failed for different reasons (CONTAINER_OOM, APP_ERROR,
  // DRAINED)"; empty: one reason, or the operator has not given up.
  std::string remark;
  // "CONTAINER_OOM and APP_ERROR before it need a person"; empty where the last
  // failure needs one too, or none does.
  std::string step;
};

DifferentCauses FindDifferentCauses(const v1::DecideResponse& response);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_DIFFERENT_CAUSES_H_
