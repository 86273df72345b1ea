// A common view of the objects above the pods. Only the functions of a kind
// (policy/request/views/) know its fields; all other code uses the view.
#ifndef MULLIGAN_POLICY_REQUEST_WORKLOAD_VIEW_H_
#define MULLIGAN_POLICY_REQUEST_WORKLOAD_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "policy/base/conditions.h"

namespace mulligan {

struct Kind;

// Phase of the work, as its object states it.
enum class WorkloadPhase : std::uint8_t {
  // The kind does not state a phase; its parts may.
  kSilent,
  // Not ended; its parts say whether it runs.
  kOpen,
  // It waits or starts.
  kWaits,
  kRuns,
  // Something failed, and the outcome is still open.
  kFailing,
  // Its operator is retrying.
  kRestarts,
  // Suspended.
  kHeld,
  kSucceeded,
  // It will have failed for good once its pods are gone.
  kGivesUp,
  // A final state of its operator.
  kGivenUp,
};

// A status value that no known release of its operator writes.
struct UnknownValue {
  const char* leaf;
  std::string_view value;
};

// A statement of an object about its state, other than a condition.
struct Statement {
  // Row in the table of operator states: "<source>/<state>".
  std::string_view source;
  std::string_view state;
  // The text in the object; empty if it equals the state.
  std::string_view shown;
  // More specific than the state; used if the table has it.
  std::string_view reason;
  std::string_view message;
  // Never null; the epoch if there is no time.
  const google::protobuf::Timestamp* at =
      &google::protobuf::Timestamp::default_instance();
  // Its path in the object: list[item] leaf.
  const char* list = "";
  int item = -1;
  const char* leaf = "";
  const char* message_leaf = ".message";
  // The exit code in the message.
  std::optional<std::int32_t> exit_code;
  // All failures so far are being retried.
  bool restarts = false;
};

// A counter of the object that cannot be negative, by its field's name.
struct ObjectCount {
  const char* field;
  std::int64_t value;
};

// How often an operator has tried, by its own count.
struct OwnTries {
  // The operator's word for a try, such as "run"; empty if it does not count.
  std::string_view of;
  std::int64_t made = 0;
  // The setting that limits tries, and its use; empty if none does.
  std::string_view limit_name;
  std::int64_t used = 0;
  std::int64_t limit = 0;
  // The operator's message at the limit; empty if any message may mean it.
  std::string_view exhausted;
};

// Details of an object for the explanation.
struct ObjectDetails {
  OwnTries tries;
  // The command that shows the log of what failed; empty if unknown.
  std::string log_command;
  // Advice for when its memory ran out; empty if the general advice applies.
  std::string memory_remedy;
};

// Points into the report.
struct WorkloadView {
  // Its row; for training-operator's kinds, the row of the first of them.
  const Kind* kind = nullptr;
  // The kind as its object states it: "PyTorchJob".
  std::string_view kind_name;
  const kubernetes::meta::v1::ObjectMeta* meta = nullptr;
  WorkloadPhase phase = WorkloadPhase::kSilent;
  bool has_status = false;
  // The operator's name of the state, and its path; empty if it has none or
  // uses conditions instead.
  std::string_view state;
  const char* state_leaf = nullptr;
  absl::InlinedVector<UnknownValue, 1> unknown_values;
  ConditionList conditions;
  // The field with the conditions, and whether statements cover them.
  const char* conditions_of = "status";
  bool conditions_are_stated = false;
  absl::InlinedVector<Statement, 1> statements;
  // Path of the field that requests suspension; null if it is not requested.
  const char* suspend_leaf = nullptr;
  // Its operator refuses to suspend it as it is specified.
  bool refuses_suspension = false;
  // The program ran in the current attempt, or in any attempt.
  bool has_run = false;
  bool was_tried = false;
  // The operator reports the program's failure; ignore the submitter's failure.
  bool program_failed = false;
  // How often its operator has restarted it. Pods and Jobs with a lower
  // jobset.sigs.k8s.io/restart-attempt belong to an earlier attempt.
  std::int32_t restarts = 0;
  // Pods of the current attempt have this label, pods of earlier attempts
  // another value; empty key if no label shows it.
  const char* attempt_label = "";
  std::string_view attempt;
  // When the current attempt began, if its operator restarts the clock for each
  // (a RayJob, a SparkApplication, a resumed Job); null otherwise.
  const google::protobuf::Timestamp* attempt_began = nullptr;
  // A part that it creates under a name that need not begin with its own.
  std::string_view part_kind;
  std::string_view part;
  // The queue that it names; may be empty.
  std::string_view queue;
  // spec.activeDeadlineSeconds, in seconds; 0 if unset.
  std::int64_t deadline_seconds = 0;
  // Its operator's reason and message, and the path of the message, such as
  // "rayJob.status.message".
  std::string_view reason;
  std::string_view message;
  const char* message_path = "";
  // Maximum number of retries that its spec sets; empty if unset.
  std::optional<std::int64_t> retry_limit;
  // Values that are checked for anomalies.
  absl::InlinedVector<ObjectCount, 3> counts;
  absl::InlinedVector<const google::protobuf::Timestamp*, 2> times;

  bool has_failed() const { return phase >= WorkloadPhase::kGivesUp; }
};

// Returns jobset.sigs.k8s.io/restart-attempt of a pod or Job, or -1.
int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata);

// Failures that an operator has counted and whose objects are gone.
struct NativeCount {
  // Attempts that failed before those in the report. If a gang failed together
  // and the operator counted every pod, this is the least number of attempts.
  std::int32_t failures = 0;
  // All attempts that it has counted, including those in the report; -1 if it
  // has no counter.
  std::int64_t counted = -1;
  // The counter, as in "RayJob.status.failed=2"; empty if none.
  std::string source;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_WORKLOAD_VIEW_H_
