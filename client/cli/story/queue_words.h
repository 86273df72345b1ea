// What a queue says about work that it does not let run.
#ifndef MULLIGAN_CLIENT_CLI_STORY_QUEUE_WORDS_H_
#define MULLIGAN_CLIENT_CLI_STORY_QUEUE_WORDS_H_

#include <string>

#include "client/cli/story/particulars.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

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

#endif  // MULLIGAN_CLIENT_CLI_STORY_QUEUE_WORDS_H_
