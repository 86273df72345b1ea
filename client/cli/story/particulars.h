// The names and numbers of a failure that its diagnosis leaves to the objects:
// which image, which Secret, how much memory; and what is wrong and to be done,
// as far as the words of the failure tell.
#ifndef MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_
#define MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/input/container_specs.h"
#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Empty members are unknown.
struct Particulars {
  // Name of the workload.
  std::string workload;
  std::string space;
  std::string pod;
  std::string container;
  std::string node;
  std::string image;
  // What is wrong, where a text names it: "secret pg does not exist".
  std::string problem;
  // What to do about `problem`: "create secret pg".
  std::string remedy;
  // The text that `problem` was read from.
  std::string source;
  // The line of text that decided.
  std::string message;
  // What the program said it failed of: "KeyError: 'input_ids'".
  std::string error_line;
  // What the status of an object without pods says of it.
  std::string words;
  // How often that object was tried: "run 4 of 4".
  std::string tries;
  // The command that shows its log.
  std::string logs;
  // What the queue said as it evicted the work, where that is not the cause.
  std::string queue_remark;
  // Indexes of the Job that failed for good, as it writes them: "7".
  std::string failed_indexes;
  // The culprit pod runs still.
  bool runs = false;
  // The culprit container was started again since it ended.
  bool restarted = false;
  // The Job's own deadline passed as well.
  bool deadline_passed = false;
  // Limit of the culprit container that was met, as written: "4Gi".
  std::string limit;
  // What it had requested of the same.
  std::string request;
  // Seconds of the deadline that passed; 0: unknown.
  long long deadline_seconds = 0;
};

// "node a", or "the node" where the name is unknown.
std::string Named(std::string_view what, const std::string& name);

Particulars ParticularsOf(const v1::FailureReport& report,
                          const v1::Diagnosis& diagnosis,
                          const ContainerSpecs& specs);

// The last line of `log` that tells of an error, without rank, time and level:
// "KeyError: 'input_ids'". At most 200 bytes, cut between words. Empty: no line
// does.
std::string LastErrorLine(std::string_view log);

// The line that decided where a program's own words did, else the last error
// line of the culprit container's termination message. Empty for causes that no
// program tells of.
std::string ErrorLineOf(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

// What stopped the work, in one sentence with the names and numbers there are:
// "Pod eval-2, container main: image ghcr.io/acme/train:v2: no such tag".
std::string Headline(const v1::DecideResponse& response,
                     const Particulars& found);

// One line in the imperative: "raise the memory limit of container trainer from
// 4Gi to 6Gi". Empty when nothing is broken.
std::string FirstStep(const v1::DecideResponse& response,
                      const Particulars& found, const ContainerSpecs& specs);

// Fills `problem`, `remedy` and `source` of `found` (and its image, where a
// text names one) from the first of `texts` that one of the known forms fits.
// Leaves them alone when none does, or `cause` is not one that such texts
// explain.
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

// Fills the remedy where nobody in the report is known to have begun it: whose
// logs to read. Leaves alone what is no gang, and gangs with a culprit.
void FindGangRemedy(const v1::FailureReport& report,
                    const v1::Diagnosis& diagnosis, Particulars& found);

// Fills words, tries and logs (and the remedy of memory that ran out) from the
// status of the RayJob or SparkApplication that the diagnosis is about. Leaves
// them alone where a pod is known.
void FindObjectWords(const v1::FailureReport& report,
                     const v1::Diagnosis& diagnosis, Particulars& found);

// The text that the headline tells of, unless the evidence has it.
Quote FindQuote(const v1::FailureReport& report, const v1::Diagnosis& diagnosis,
                const std::string& headline, const Particulars& found);

// Whether there is something that the change multiplies: false where the report
// shows the container without limit and request of the resource.
bool HasBase(const v1::ResourceChange& change, const Particulars& found,
             const ContainerSpecs& specs);

// The queue's words about an evicted workload whose cause is another: "Exceeded
// the PodsReady timeout ml/train". Empty: there are none.
std::string QueueRemark(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_
