// The names and numbers of a failure that its diagnosis leaves to the objects:
// which image, which Secret, how much memory.
#ifndef MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_
#define MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_

#include <string>
#include <string_view>

#include "client/cli/input/container_specs.h"
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
  // The line of text that decided.
  std::string message;
  // What the program said it failed of: "KeyError: 'input_ids'".
  std::string error_line;
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

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_PARTICULARS_H_
