// The table of kinds, with everything that depends on the kind alone.
#ifndef MULLIGAN_POLICY_REQUEST_KINDS_H_
#define MULLIGAN_POLICY_REQUEST_KINDS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/stable_hash.h"

namespace mulligan {

class FieldPath;
struct NativeCount;
struct ObjectDetails;
struct WorkloadView;

// The kind of a training-operator job whose kind the report does not name.
inline constexpr std::string_view kTrainingJob = "TrainingJob";

// Seniority of unknown kinds, which may own any known kind.
inline constexpr int kUnknownSeniority = 3;

struct Kind {
  std::string_view name;
  // API group; "" for the core group.
  std::string_view group;
  // JSON name of the FailureReport field with its objects; empty if none.
  std::string_view field;
  // Decisions are made for it. False for nodes and events, which are evidence.
  bool is_workload = true;
  // This version knows how its work ends; otherwise it appears only in metrics.
  bool is_known = true;
  // Default scope of a retry and of giving up (for a Job see DefaultScope).
  v1::Decision::Scope retried = v1::Decision::WORKLOAD;
  v1::Decision::Scope given_up = v1::Decision::WORKLOAD;
  // An object may own objects of lower seniority.
  int seniority = kUnknownSeniority;
  // Prefix of its conditions in the table of operator states
  // (demystify/signatures): "<source>/<condition>".
  std::string_view source = name;
  // It creates and deletes the Jobs of its work.
  bool makes_jobs = false;
  // Its operator replaces parts while it runs, so the death of a dependent pod
  // does not end the work (OwnerContinues in demystify/life_signs.h).
  bool replaces_parts = false;
  // The merge patch that suspends it; empty if its operator cannot.
  std::string_view suspend = {};
  // Exit codes have Spark's meaning.
  bool has_spark_exits = false;
  // Fills `view` from the report's object of this kind (request/views/).
  // Returns false if it has none. Null if this kind never owns Jobs or pods.
  bool (*view)(const v1::FailureReport& report, WorkloadView& view) = nullptr;
  // Checks bounds of fields that only this kind has; may be null.
  void (*bound)(const v1::FailureReport& report,
                const FieldPath& object) = nullptr;
  // CountNativeFailures() for this kind; null if its operator has no counter.
  NativeCount (*count)(const v1::FailureReport& report,
                       std::int32_t earlier) = nullptr;
  // Adds to `hash` what distinguishes its failures, apart from conditions.
  // Returns false if nothing does. Ids outlive releases: never change it.
  bool (*identify)(const v1::FailureReport& report, StableHash& hash) = nullptr;
  // Returns whether log text that its operator quotes has escapes
  // (request/terminal.h). Removes them from `cleaned`, a copy of the report,
  // unless that is null. Null if the operator quotes no log.
  bool (*clean)(const v1::FailureReport& report,
                v1::FailureReport* cleaned) = nullptr;
  // Adds details for the explanation; may be null.
  void (*tell)(const v1::FailureReport& report, ObjectDetails& words) = nullptr;
};

// Returns all rows. A kind with several groups has a row for each, the primary
// group first. kind_names.h looks up names.
std::span<const Kind> Kinds();

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KINDS_H_
