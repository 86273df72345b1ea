// Where a pod could not be placed or stay, in the names and numbers that
// scheduler and kubelet give.
#ifndef MULLIGAN_CLIENT_CLI_STORY_PLACEMENT_WORDS_H_
#define MULLIGAN_CLIENT_CLI_STORY_PLACEMENT_WORDS_H_

#include <string>
#include <vector>

#include "client/cli/story/particulars.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan::cli {

// Fills problem and remedy of a pod that no node at all matches: "no node has
// label gpu=h200". Leaves them alone where other reasons keep some nodes out.
void FindSelectorProblem(const kubernetes::core::v1::Pod& pod,
                         const std::vector<std::string>& texts,
                         Particulars& found);

// Fills the remedy of a pod that was evicted from a node low on a resource, by
// what it used and had requested.
void FindPressureRemedy(const std::vector<std::string>& texts,
                        Particulars& found);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_PLACEMENT_WORDS_H_
