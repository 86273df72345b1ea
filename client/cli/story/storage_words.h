// Which storage had no room left, and whose knob makes it larger.
#ifndef MULLIGAN_CLIENT_CLI_STORY_STORAGE_WORDS_H_
#define MULLIGAN_CLIENT_CLI_STORY_STORAGE_WORDS_H_

#include <string>
#include <vector>

#include "client/cli/input/container_specs.h"
#include "client/cli/story/particulars.h"

namespace mulligan::cli {

// Fills problem and remedy of STORAGE_EXHAUSTED from `texts`, what decided
// first: an emptyDir's sizeLimit, the volume mounted where the program wrote,
// /dev/shm, a user's quota, or a limit that is not set. Leaves them alone where
// it is the container's own ephemeral-storage limit.
void FindStorageProblem(const std::vector<std::string>& texts,
                        const ContainerSpecs& specs, Particulars& found);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_STORAGE_WORDS_H_
