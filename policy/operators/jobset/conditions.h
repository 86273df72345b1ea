// Conditions of a JobSet and the one rule by which they change.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/repeated_field.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

// Types. "Completed" and "Failed" are also the terminal states.
inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kRestarting = "RestartingJobSet";
inline constexpr std::string_view kStartupInProgress =
    "StartupPolicyInProgress";
inline constexpr std::string_view kStartupCompleted = "StartupPolicyCompleted";

// Reasons for Failed.
inline constexpr std::string_view kFailedJobs = "FailedJobs";
inline constexpr std::string_view kReachedMaxRestarts = "ReachedMaxRestarts";
inline constexpr std::string_view kReachedMaxRestartsMessage =
    "jobset failed due to reaching max number of restarts";

// An event the controller sends when the status is written.
struct Event {
  // "Warning" or "Normal".
  std::string type;
  std::string reason;
  std::string message;
};

// A status under change within one pass.
struct StatusChange {
  JobSetStatus& status;
  google::protobuf::Timestamp now;
  // Whether RestartingJobSet exists in this release.
  bool restarting_condition = true;
  // Whether anything changed.
  bool updated = false;
  std::vector<Event> events;
};

using Conditions = google::protobuf::RepeatedPtrField<Condition>;

const Condition* FindCondition(const Conditions& conditions,
                               std::string_view type);
bool IsConditionTrue(const Conditions& conditions, std::string_view type);

// Whether the JobSet is at its end, by condition or terminal state: the
// controller evaluates it never again.
bool IsFinished(const JobSetStatus& status);

// Merges `condition` into `conditions`; false: nothing changed.
//   absent       added with `now`, but only with status True
//   other status replaced, with `now`
//   same status  another reason or message replaces the old one;
//                lastTransitionTime stays
// StartupPolicyInProgress and StartupPolicyCompleted exclude each other: the
// other one turns False.
bool UpdateCondition(const Condition& condition,
                     const google::protobuf::Timestamp& now,
                     Conditions& conditions);

// The same on a status, with the event that goes with it.
void SetCondition(std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message,
                  StatusChange& change);

// Failed=True and the terminal state; a restart in progress is over.
void SetFailed(std::string_view reason, std::string_view message,
               StatusChange& change);
// Completed=True likewise.
void SetCompleted(StatusChange& change);
// Suspended=True, or False when it was True.
void SetSuspended(bool suspended, StatusChange& change);
// RestartingJobSet=False, when it is there.
void EndRestarting(std::string_view reason, std::string_view message,
                   StatusChange& change);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_
