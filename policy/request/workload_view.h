// What stands above the pods, in words that all kinds share. Whoever asks what
// an object says of the work asks its view; only the functions of its kind
// (policy/request/views/) know its fields.
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

// Where the work is in its life, as its object says.
enum class WorkloadPhase : std::uint8_t {
  // The kind says nothing of the work's life: its parts may.
  kSilent,
  // It has not ended; whether it runs, its parts say.
  kOpen,
  // It waits, or starts.
  kWaits,
  kRuns,
  // Something failed, and what becomes of it is not said yet.
  kFailing,
  // Its operator is trying again.
  kRestarts,
  // Suspended by somebody.
  kHeld,
  kSucceeded,
  // It will have failed for good as soon as its pods are gone.
  kGivesUp,
  // Its operator never leaves this state.
  kGivenUp,
};

// A word of a status that no release of its operator that is known writes.
struct UnknownWord {
  const char* leaf;
  std::string_view word;
};

// What an object says of its state, besides conditions.
struct Statement {
  // In the table of operators' states: "<source>/<state>".
  std::string_view source;
  std::string_view state;
  // What was sent for the state; empty: the state itself.
  std::string_view shown;
  // Says more than the state, where the table knows it.
  std::string_view reason;
  std::string_view message;
  // Never null; the epoch where there is none.
  const google::protobuf::Timestamp* at =
      &google::protobuf::Timestamp::default_instance();
  // Where it stands in the object: list[item] leaf.
  const char* list = "";
  int item = -1;
  const char* leaf = "";
  const char* message_leaf = ".message";
  // The exit code that the message tells.
  std::optional<std::int32_t> exit_code;
  // Whatever failed so far is being tried again.
  bool restarts = false;
};

// A number of the object that cannot be negative, by its field's name.
struct ObjectCount {
  const char* field;
  std::int64_t value;
};

// How often an operator has tried, by its own count.
struct OwnTries {
  // What it calls one: "run"; empty: the status does not keep the count.
  std::string_view of;
  std::int64_t made = 0;
  // The setting that bounds them, and how much of it is used; empty: none does.
  std::string_view limit_name;
  std::int64_t used = 0;
  std::int64_t limit = 0;
  // What the operator says once the limit is met; empty: anything.
  std::string_view exhausted;
};

// What a person is told about an object besides what decides.
struct ObjectWords {
  OwnTries tries;
  // The command that shows the log of what failed; empty: not known.
  std::string log_command;
  // What to do where its memory ran out; empty: nothing of its own.
  std::string memory_remedy;
};

// Points into the report.
struct WorkloadView {
  // Its row; of training-operator's kinds that of kTrainingJob.
  const Kind* kind = nullptr;
  // As its object calls it: "PyTorchJob".
  std::string_view kind_name;
  const kubernetes::meta::v1::ObjectMeta* meta = nullptr;
  WorkloadPhase phase = WorkloadPhase::kSilent;
  bool has_status = false;
  // The state in the operator's own word, and where it stands; empty: it has
  // none, or conditions instead.
  std::string_view state;
  const char* state_leaf = nullptr;
  absl::InlinedVector<UnknownWord, 1> unknown_words;
  ConditionList conditions;
  // The field that has them, and what they say is among the statements.
  const char* conditions_of = "status";
  bool conditions_are_stated = false;
  absl::InlinedVector<Statement, 1> statements;
  // Where it says that it shall be suspended; null: it does not.
  const char* suspend_leaf = nullptr;
  // The program ran in the attempt at hand, or in any.
  bool has_run = false;
  bool was_tried = false;
  // The program itself failed, by the operator's word: how whatever submitted
  // it ended says nothing more.
  bool program_failed = false;
  // How often its operator has started it again; pods and Jobs of a lower
  // jobset.sigs.k8s.io/restart-attempt are of an attempt before.
  std::int32_t restarts = 0;
  // Pods of the attempt at hand carry this label, those of earlier attempts
  // another value; empty key: no label tells.
  const char* attempt_label = "";
  std::string_view attempt;
  // When the attempt at hand began, where its operator starts the time again
  // with each (a RayJob, a SparkApplication, a Job that is resumed); null: it
  // tells none of its own.
  const google::protobuf::Timestamp* attempt_began = nullptr;
  // What it makes under a name that does not begin with its own.
  std::string_view part_kind;
  std::string_view part;
  // The queue it names; empty: none.
  std::string_view queue;
  // spec.activeDeadlineSeconds; 0: none.
  std::int64_t deadline_seconds = 0;
  // Its operator's reason, and what it says in prose; where it says that:
  // "rayJob.status.message".
  std::string_view reason;
  std::string_view message;
  const char* message_path = "";
  // Most retries that its operator makes by itself, as its spec says; absent:
  // it says none.
  std::optional<std::int64_t> retry_limit;
  // For a look at whether they can be.
  absl::InlinedVector<ObjectCount, 3> counts;
  absl::InlinedVector<const google::protobuf::Timestamp*, 2> times;

  bool has_failed() const { return phase >= WorkloadPhase::kGivesUp; }
};

// jobset.sigs.k8s.io/restart-attempt of a pod or Job; -1: none.
int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata);

// Failures that an operator has counted and whose objects are gone.
struct NativeCount {
  // Before the attempts that the report shows. Of a gang that fails together
  // the operator may have counted every pod: as many attempts as there are at
  // least.
  std::int32_t failures = 0;
  // All that it has counted, those in the report included, in attempts; -1: it
  // has no counter.
  std::int64_t counted = -1;
  // The counter it was read from, "RayJob.status.failed=2"; empty: none.
  std::string source;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_WORKLOAD_VIEW_H_
