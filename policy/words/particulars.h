// Names, numbers and texts of a failure that its diagnosis omits.
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
  std::string workload;
  std::string space;
  std::string pod;
  std::string container;
  std::string node;
  std::string image;
  // All texts about the failure, the deciding one first.
  std::vector<std::string> texts;
  // The line of text that decided.
  std::string message;
  // The program's error: "KeyError: 'input_ids'".
  std::string error_line;
  // How often an object without pods was tried: "run 4 of 4".
  std::string tries;
  // The command that shows the log.
  std::string logs;
  // The queue's message on eviction, if that is not the cause.
  std::string queue_remark;
  // Indexes of the Job that failed for good, in the Job's notation: "7".
  std::string failed_indexes;
  // The report has no Kubernetes objects, so there is no pod or container.
  bool no_objects = false;
  // The culprit pod still runs.
  bool runs = false;
  // The Job's own deadline passed as well.
  bool deadline_passed = false;
  // Limit of the culprit container that was reached, as written: "4Gi".
  std::string limit;
  // Its request of the same resource.
  std::string request;
  // The deadline that passed, in seconds; 0 if unknown.
  long long deadline_seconds = 0;
  // Advice if the memory of an object without pods ran out.
  std::string memory_remedy;
};

Particulars ParticularsOf(const Answered& answered,
                          const ContainerSpecs& specs);

// Returns the culprit's pod; null if the report lacks it.
const kubernetes::core::v1::Pod* CulpritPod(const Answered& answered);

// Returns the exceeded limit of ephemeral storage in a kubelet's message, as
// written; empty if there is none.
std::string StorageLimitIn(const std::string& text);

// Returns "container a" and "pod a"; "the job" of an attempt without objects.
std::string ContainerText(const Particulars& found);
std::string PodText(const Particulars& found);

// Returns "node a", or "the node" if the name is unknown.
std::string Named(std::string_view what, const std::string& name);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_PARTICULARS_H_
