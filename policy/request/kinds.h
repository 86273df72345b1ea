// THE table of kinds: one row a kind, everything that depends on the kind
// alone.
#ifndef MULLIGAN_POLICY_REQUEST_KINDS_H_
#define MULLIGAN_POLICY_REQUEST_KINDS_H_

#include <span>
#include <string_view>

#include "mulligan/v1/decision.pb.h"

namespace mulligan {

// What training-operator's jobs are called where a report leaves out which.
inline constexpr std::string_view kTrainingJob = "TrainingJob";

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
};

// All rows. A kind of several groups has one for each, the first one first.
std::span<const Kind> Kinds();

// The first row of `name`, letter by letter; null: none of ours.
const Kind* FindKind(std::string_view name);

// Whether `name` is a kind that this version knows.
bool IsKnownKind(std::string_view name);

// The known kind that `name` is a slip of the pen for: the same but for case, a
// plural s, or one letter after the first (a swap of neighbours counts as one).
// Empty for known kinds and for all that are none of ours.
std::string_view MeantKind(std::string_view name);

// Whether `name` is one of training-operator's.
bool IsTrainingKind(std::string_view name);

// The group of "batch/v1" is "batch", that of "v1" is "".
std::string_view ApiGroup(std::string_view api_version);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KINDS_H_
