// What is wrong and what to do about it, in the names and numbers that the
// texts around a failure give: the Secret that does not exist, the label that
// no node has, the volume that is full, the queue that holds the work.
#ifndef MULLIGAN_CLIENT_CLI_STORY_PROBLEMS_H_
#define MULLIGAN_CLIENT_CLI_STORY_PROBLEMS_H_

#include <string>
#include <vector>

#include "client/cli/input/container_specs.h"
#include "client/cli/story/particulars.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Fills `problem` and `remedy` of `found` (and its image, where a text names
// one) from the first of `texts` that one of the known forms fits. Leaves them
// alone when none does, or `cause` is not one that such texts explain.
void FindProblem(v1::Cause cause, const std::vector<std::string>& texts,
                 Particulars& found);

// Fills problem and remedy of a pod that no node at all matches: "no node has
// label gpu=h200". Leaves them alone where other reasons keep some nodes out.
void FindSelectorProblem(const kubernetes::core::v1::Pod& pod,
                         const std::vector<std::string>& texts,
                         Particulars& found);

// Fills the remedy of a pod that was evicted from a node low on a resource, by
// what it used and had requested.
void FindPressureRemedy(const std::vector<std::string>& texts,
                        Particulars& found);

// Fills problem and remedy of STORAGE_EXHAUSTED from `texts`, what decided
// first: an emptyDir's sizeLimit, the volume mounted where the program wrote,
// /dev/shm, a user's quota, or a limit that is not set. Leaves them alone where
// it is the container's own ephemeral-storage limit.
void FindStorageProblem(const std::vector<std::string>& texts,
                        const ContainerSpecs& specs, Particulars& found);

// Fills problem and remedy of work that a Kueue queue holds or evicted, from
// its Workload or, without one, from the label that names the queue. Leaves
// them alone for work without a queue, and for other causes.
void FindQueueProblem(const v1::FailureReport& report,
                      const v1::Diagnosis& diagnosis, Particulars& found);

// The queue's words about an evicted workload whose cause is another: "Exceeded
// the PodsReady timeout ml/train". Empty: there are none.
std::string QueueRemark(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_PROBLEMS_H_
