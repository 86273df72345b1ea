// What the texts around a failure name: the Secret that does not exist, the tag
// that the registry does not know.
#ifndef MULLIGAN_CLIENT_CLI_STORY_PROBLEM_TEXTS_H_
#define MULLIGAN_CLIENT_CLI_STORY_PROBLEM_TEXTS_H_

#include <string>
#include <vector>

#include "client/cli/story/particulars.h"
#include "mulligan/v1/cause.pb.h"

namespace mulligan::cli {

// Fills `problem` and `remedy` of `found` (and its image, where a text names
// one) from the first of `texts` that one of the known forms fits. Leaves them
// alone when none does, or `cause` is not one that such texts explain.
void FindProblem(v1::Cause cause, const std::vector<std::string>& texts,
                 Particulars& found);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_PROBLEM_TEXTS_H_
