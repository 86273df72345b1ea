// The functions of each kind for its row in request/kinds.cc, one file per
// kind. Only these and the operator's folder read an object's fields.
#ifndef MULLIGAN_POLICY_REQUEST_VIEWS_VIEWS_H_
#define MULLIGAN_POLICY_REQUEST_VIEWS_VIEWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "mulligan/v1/report.pb.h"
#include "policy/base/stable_hash.h"
#include "policy/request/workload_view.h"

namespace mulligan {

class FieldPath;

// Returns status.failed minus the failed pods in the report that it includes
// (minus one if the report has no pods). With parallelism above 1, counts whole
// gangs.
NativeCount CountJob(const v1::FailureReport& report, std::int32_t earlier);

bool ViewJobSet(const v1::FailureReport& report, WorkloadView& view);
void BoundJobSet(const v1::FailureReport& report, const FieldPath& job_set);
// Returns status.restarts, but at most the lowest restart attempt on labels of
// the reported pods and Jobs. Without labels, minus `earlier`.
NativeCount CountJobSet(const v1::FailureReport& report, std::int32_t earlier);
bool IdentifyJobSet(const v1::FailureReport& report, StableHash& hash);

void DescribeJobSet(const v1::FailureReport& report, ObjectDetails& words);

bool ViewTrainJob(const v1::FailureReport& report, WorkloadView& view);
// Returns the count of its JobSet.
NativeCount CountTrainJob(const v1::FailureReport& report,
                          std::int32_t earlier);

bool ViewRayJob(const v1::FailureReport& report, WorkloadView& view);
void BoundRayJob(const v1::FailureReport& report, const FieldPath& job);
// Returns status.failed - `earlier`, minus one in state Failed or Retrying.
NativeCount CountRayJob(const v1::FailureReport& report, std::int32_t earlier);
bool IdentifyRayJob(const v1::FailureReport& report, StableHash& hash);

bool CleanRayJob(const v1::FailureReport& report, v1::FailureReport* cleaned);
void DescribeRayJob(const v1::FailureReport& report, ObjectDetails& words);

bool ViewRayCluster(const v1::FailureReport& report, WorkloadView& view);

bool ViewSparkApplication(const v1::FailureReport& report, WorkloadView& view);
void BoundSparkApplication(const v1::FailureReport& report,
                           const FieldPath& application);
// Returns the larger of executionAttempts and submissionAttempts, minus one and
// `earlier`, because both include the current attempt.
NativeCount CountSparkApplication(const v1::FailureReport& report,
                                  std::int32_t earlier);
bool IdentifySparkApplication(const v1::FailureReport& report,
                              StableHash& hash);
void DescribeSparkApplication(const v1::FailureReport& report,
                              ObjectDetails& words);

bool ViewTrainingJob(const v1::FailureReport& report, WorkloadView& view);
void DescribeTrainingJob(const v1::FailureReport& report, ObjectDetails& words);

// Fills the parts that all kinds share: metadata, conditions, suspension.
template <typename Object>
void ViewObject(const Object& object, WorkloadView& view) {
  view.meta = &object.metadata();
  view.has_status = object.has_status();
  if constexpr (requires { object.status().conditions(); }) {
    view.conditions = ConditionList(object.status().conditions());
  }
  if constexpr (requires { object.spec().suspend(); }) {
    if (object.spec().suspend()) view.suspend_leaf = ".spec.suspend";
  }
}

// Returns the phase that the conditions state: failed, succeeded or suspended;
// `otherwise` if they state none.
template <typename Conditions>
WorkloadPhase PhaseBy(const Conditions& conditions, std::string_view succeeded,
                      WorkloadPhase otherwise) {
  if (IsTrue(conditions, "Failed")) return WorkloadPhase::kGivenUp;
  if (IsTrue(conditions, "FailureTarget")) return WorkloadPhase::kGivesUp;
  if (IsTrue(conditions, succeeded)) return WorkloadPhase::kSucceeded;
  return IsTrue(conditions, "Suspended") ? WorkloadPhase::kHeld : otherwise;
}

// Maps an operator's state to a phase. An unknown state, from another release
// or misspelt, is recorded and yields kSilent.
struct PhaseOfState {
  std::string_view state;
  WorkloadPhase phase;
};
template <std::size_t N>
WorkloadPhase PhaseBy(const PhaseOfState (&rows)[N], const char* leaf,
                      std::string_view state, WorkloadView& view) {
  const auto* const row = std::ranges::find(rows, state, &PhaseOfState::state);
  if (row != std::end(rows)) return row->phase;
  view.unknown_values.push_back({leaf, state});
  return WorkloadPhase::kSilent;
}

// Returns a count of `failures` before the report and `counted` attempts in
// all, with the source "counter=value".
NativeCount MakeNativeCount(std::int64_t failures, std::int64_t counted,
                            const char* counter, std::int32_t value);

// Adds a time that distinguishes failures to `hash`. Returns whether it is set.
bool Identify(const google::protobuf::Timestamp& time, StableHash& hash);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VIEWS_VIEWS_H_
