// THE table of kinds: one row a kind, everything that depends on the kind
// alone.
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
struct ObjectWords;
struct WorkloadView;

// What training-operator's jobs are called where a report leaves out which.
inline constexpr std::string_view kTrainingJob = "TrainingJob";

// Of kinds that we do not know, which may own whatever we do.
inline constexpr int kUnknownSeniority = 3;

struct Kind {
  std::string_view name;
  // API group; "" for the core group.
  std::string_view group;
  // JSON name of the field of FailureReport that holds its objects; empty: a
  // report has no place for them.
  std::string_view field;
  // What a decision is for. Not so nodes and events, which only tell.
  bool is_workload = true;
  // This version knows what becomes of it. The others are names that metrics
  // tell apart.
  bool is_known = true;
  // What a retry applies to, and what giving up does, when the policy does not
  // say (Job: see NaturalScope).
  v1::Decision::Scope retried = v1::Decision::WORKLOAD;
  v1::Decision::Scope given_up = v1::Decision::WORKLOAD;
  // How senior its objects are: those of a higher number may own those of a
  // lower one.
  int seniority = kUnknownSeniority;
  // Of its conditions in the table of operators' states
  // (demystify/signatures): "<source>/<condition>".
  std::string_view source = name;
  // It makes the Jobs of its work, and deletes them.
  bool makes_jobs = false;
  // Its operator makes single parts anew while it runs: the death of a pod that
  // follows another (demystify/owner_signs.cc) is no end of the work.
  bool replaces_parts = false;
  // The merge patch that suspends one; empty: its operator cannot.
  std::string_view suspend = {};
  // Exit codes are read as Spark's.
  bool has_spark_exits = false;
  // What its functions (request/views/) say of the report's object of the kind;
  // null: nothing, so that it is none that Jobs and pods are made for.
  // False: the report has none.
  bool (*view)(const v1::FailureReport& report, WorkloadView& view) = nullptr;
  // Bounds of fields that only this kind has; null: none.
  void (*bound)(const v1::FailureReport& report,
                const FieldPath& object) = nullptr;
  // CountNativeFailures() for it; null: its operator counts nothing.
  NativeCount (*count)(const v1::FailureReport& report,
                       std::int32_t earlier) = nullptr;
  // Adds what tells one failure of it from the next, besides conditions, to
  // `hash`; whether that is anything. Ids outlive releases: never change it.
  bool (*identify)(const v1::FailureReport& report, StableHash& hash) = nullptr;
  // Takes escapes (request/terminal.h) out of what its operator quotes of a
  // log, in `cleaned`, a copy of the report; null: in none. Returns whether
  // there are any. Null: the operator quotes no log.
  bool (*clean)(const v1::FailureReport& report,
                v1::FailureReport* cleaned) = nullptr;
  // What people are told of it besides; null: nothing.
  void (*tell)(const v1::FailureReport& report, ObjectWords& words) = nullptr;
};

// All rows. A kind of several groups has one for each, the first one first.
// Names are looked up by kind_names.h.
std::span<const Kind> Kinds();

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KINDS_H_
