// The names and numbers of a failure that its diagnosis leaves to the objects:
// which image, which node, how much memory; and what was said about it.
#ifndef MULLIGAN_POLICY_WORDS_PARTICULARS_H_
#define MULLIGAN_POLICY_WORDS_PARTICULARS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/words/answered.h"
#include "policy/words/container_specs.h"

namespace mulligan::words {

// Empty members are unknown.
struct Particulars {
  // Name of the workload.
  std::string workload;
  std::string space;
  std::string pod;
  std::string container;
  std::string node;
  std::string image;
  // Everything that was said about the failure, what decided first.
  std::vector<std::string> texts;
  // The line of text that decided.
  std::string message;
  // What the program said it failed of: "KeyError: 'input_ids'".
  std::string error_line;
  // How often an object without pods was tried: "run 4 of 4".
  std::string tries;
  // The command that shows the log.
  std::string logs;
  // What the queue said as it evicted the work, where that is not the cause.
  std::string queue_remark;
  // Indexes of the Job that failed for good, as it writes them: "7".
  std::string failed_indexes;
  // The culprit pod runs still.
  bool runs = false;
  // The Job's own deadline passed as well.
  bool deadline_passed = false;
  // Limit of the culprit container that was met, as written: "4Gi".
  std::string limit;
  // What it had requested of the same.
  std::string request;
  // Seconds of the deadline that passed; 0: unknown.
  long long deadline_seconds = 0;
  // What to do where the memory of an object without pods ran out.
  std::string memory_remedy;
};

Particulars ParticularsOf(const Answered& answered,
                          const ContainerSpecs& specs);

// The pod it started with; null: the report does not have it.
const kubernetes::core::v1::Pod* CulpritPod(const Answered& answered);

// The limit of a pod's or container's ephemeral storage that the kubelet tells
// was passed, as written; empty: the text tells of none.
std::string StorageLimitIn(const std::string& text);

// "node a", or "the node" where the name is unknown.
std::string Named(std::string_view what, const std::string& name);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_PARTICULARS_H_
