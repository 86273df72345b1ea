// The first thing a person would do about a failure.
#ifndef MULLIGAN_CLIENT_CLI_STORY_FIRST_STEP_H_
#define MULLIGAN_CLIENT_CLI_STORY_FIRST_STEP_H_

#include <string>

#include "client/cli/input/container_specs.h"
#include "client/cli/story/particulars.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// What stopped the work, in one sentence with the names and numbers there are:
// "Pod eval-2, container main: image ghcr.io/acme/train:v2: no such tag".
std::string Headline(const v1::DecideResponse& response,
                     const Particulars& found);

// One line in the imperative: "raise the memory limit of container trainer from
// 4Gi to 6Gi". Empty when nothing is broken.
std::string FirstStep(const v1::DecideResponse& response,
                      const Particulars& found, const ContainerSpecs& specs);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_FIRST_STEP_H_
