// The functions of each kind, for its row in request/kinds.cc: one file a kind.
// Fields of an object that an answer depends on are read here, in its
// operator's folder and nowhere else.
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

// status.failed, less the failed pods in the report that it has counted
// (without pods: less one); with a parallelism above 1, in whole gangs.
NativeCount CountJob(const v1::FailureReport& report, std::int32_t earlier);

bool ViewJobSet(const v1::FailureReport& report, WorkloadView& view);
void BoundJobSet(const v1::FailureReport& report, const FieldPath& job_set);
// status.restarts, at most the restart attempt that the reported pods or Jobs
// are labelled with.
NativeCount CountJobSet(const v1::FailureReport& report, std::int32_t earlier);
bool IdentifyJobSet(const v1::FailureReport& report, StableHash& hash);

void TellJobSet(const v1::FailureReport& report, ObjectWords& words);

bool ViewTrainJob(const v1::FailureReport& report, WorkloadView& view);
// What its JobSet has counted.
NativeCount CountTrainJob(const v1::FailureReport& report,
                          std::int32_t earlier);

bool ViewRayJob(const v1::FailureReport& report, WorkloadView& view);
void BoundRayJob(const v1::FailureReport& report, const FieldPath& job);
// status.failed, less one in Failed or Retrying.
NativeCount CountRayJob(const v1::FailureReport& report, std::int32_t earlier);
bool IdentifyRayJob(const v1::FailureReport& report, StableHash& hash);

bool CleanRayJob(const v1::FailureReport& report, v1::FailureReport* cleaned);
void TellRayJob(const v1::FailureReport& report, ObjectWords& words);

bool ViewRayCluster(const v1::FailureReport& report, WorkloadView& view);

bool ViewSparkApplication(const v1::FailureReport& report, WorkloadView& view);
void BoundSparkApplication(const v1::FailureReport& report,
                           const FieldPath& application);
// The larger of executionAttempts and submissionAttempts, less one: both count
// the attempt under way.
NativeCount CountSparkApplication(const v1::FailureReport& report,
                                  std::int32_t earlier);
bool IdentifySparkApplication(const v1::FailureReport& report,
                              StableHash& hash);
void TellSparkApplication(const v1::FailureReport& report, ObjectWords& words);

bool ViewTrainingJob(const v1::FailureReport& report, WorkloadView& view);
void TellTrainingJob(const v1::FailureReport& report, ObjectWords& words);

// What is the same for all kinds: name, labels, conditions, suspension.
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

// The phase of an object that has failed, succeeded or was suspended as its
// conditions say; `otherwise` if they say none of these.
template <typename Conditions>
WorkloadPhase PhaseBy(const Conditions& conditions, std::string_view succeeded,
                      WorkloadPhase otherwise) {
  if (IsTrue(conditions, "Failed")) return WorkloadPhase::kGivenUp;
  if (IsTrue(conditions, "FailureTarget")) return WorkloadPhase::kGivesUp;
  if (IsTrue(conditions, succeeded)) return WorkloadPhase::kSucceeded;
  return IsTrue(conditions, "Suspended") ? WorkloadPhase::kHeld : otherwise;
}

// The phase of an operator's word. One that no row has, of another release or
// misspelt, says nothing.
struct PhaseOfWord {
  std::string_view word;
  WorkloadPhase phase;
};
template <std::size_t N>
WorkloadPhase PhaseBy(const PhaseOfWord (&rows)[N], const char* leaf,
                      std::string_view word, WorkloadView& view) {
  const auto* const row = std::ranges::find(rows, word, &PhaseOfWord::word);
  if (row != std::end(rows)) return row->phase;
  view.unknown_words.push_back({leaf, word});
  return WorkloadPhase::kSilent;
}

// `failures` before those of the report, of `counted` attempts in all, as
// "counter=value" says.
NativeCount MakeNativeCount(std::int64_t failures, std::int64_t counted,
                            const char* counter, std::int32_t value);

// Adds a time that tells failures apart; whether there is one.
bool Identify(const google::protobuf::Timestamp& time, StableHash& hash);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VIEWS_VIEWS_H_
