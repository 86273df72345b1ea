// Arguments and results of the Job controller's functions as JSON.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUBERNETES_FACTS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUBERNETES_FACTS_H_

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "policy/native/kubernetes_field_error.h"
#include "policy/native/kubernetes_gates.h"
#include "policy/native/kubernetes_job_backoff.h"
#include "policy/native/kubernetes_job_sync.h"
#include "policy/native/kubernetes_types.h"

namespace mulligan::conformance {

// Null when absent.
const Json& Member(const Json& input, const char* name);

// {"JobManagedBy": false}; null: the defaults. UNIMPLEMENTED for a gate that is
// not known to the Job controller.
absl::Status ReadGates(const Json& json, kubernetes_job::Gates& gates);

// The two members of a back-off record; null: nothing is remembered.
absl::Status ReadRecord(const Json& json,
                        kubernetes_job::BackoffRecord& record);

absl::StatusOr<std::vector<absl::Time>> ReadTimes(const Json& json,
                                                  std::string_view what);

// `currentTime` (null where it cannot matter) and the constants of the delay.
struct Clock {
  absl::Time now;
  kubernetes_job::BackoffSettings settings;
};
absl::StatusOr<Clock> ReadClock(const Json& input);

// Owns the pods of a case.
class PodList {
 public:
  static absl::StatusOr<PodList> From(const Json& json);

  const kubernetes_job::Pods& pointers() const { return pointers_; }

 private:
  // A deque: moving it keeps the pods where they are.
  std::deque<kubernetes_job::Pod> pods_;
  kubernetes_job::Pods pointers_;
};

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json TimeFact(std::optional<absl::Time> time);
Json DelayFact(absl::Duration delay);

// The status the controller writes under the names of Job.status, and what it
// does: deletedPods and createdPods as numbers, createdIndexes, delaySeconds.
// failedIndexes and terminating are null when not in use.
Json SyncFacts(const kubernetes_job::SyncResult& result);

// valid; error, the first refusal or null; errors, all of them. The peer's test
// names refusals of negative numbers by field and rule only, "field:rule",
// all others in full.
Json ValidationFacts(const FieldErrors& errors);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUBERNETES_FACTS_H_
