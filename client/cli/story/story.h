// Why the work stopped and what happens next, as data, so that text and page
// show the same; and the ledger to store for the next attempt.
#ifndef MULLIGAN_CLIENT_CLI_STORY_STORY_H_
#define MULLIGAN_CLIENT_CLI_STORY_STORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/ledger.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// One failed attempt: a record of the ledger.
struct Attempt {
  int number = 0;
  // When it ended, or was reported if `observed`.
  google::protobuf::Timestamp ended;
  bool observed = false;
  // Why it has no end yet: "still waiting", "-". Empty if it ended or is from
  // an earlier report.
  std::string no_end;
  // Empty if unknown.
  std::optional<google::protobuf::Duration> ran_for;
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  // Empty if unknown.
  std::string node;
  // "memory 1/3"; "nothing".
  std::string paid_by;
  // "retry the pod in 9s with memory x1.5"; "no decision requested" if only the
  // objects show the attempt.
  std::string done;
  // The answer is about this failure.
  bool is_current = false;
};

// One party's verdict, and the limit that applies.
struct Side {
  // "Mulligan", or the operator's name.
  std::string who;
  // "RETRY the pod in 9s (at 09:07:43 UTC)".
  std::string verdict;
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  // The budget or setting that counts it, such as "memory"; no name if none.
  struct Limit {
    std::string name;
    long long used = 0;
    long long bound = 0;
  };
  Limit limit;
  // "Failed, BackoffLimitExceeded: Job has ..."; only for operators.
  std::string message;

  // "memory 1 of 3 used"; "backoffLimit of 0 exceeded (1)"; "not counted";
  // "activeDeadlineSeconds exceeded".
  std::string Price() const;
};

// The new ledger and where to store it.
struct LedgerNote {
  // Where the old one was read from, "Job ml/train, annotation ..."; empty if
  // none was.
  std::string source;
  // Compact JSON; empty if there is nothing to store.
  std::string json;
  // The shell command that stores it on the object.
  std::string command;
};

struct Story {
  // "Job ml/train"; empty if unknown.
  std::string workload;
  // What stopped the work, with names and numbers.
  std::string headline;
  // Restarts of containers in place, "container main 7 times, in place", or
  // empty.
  std::string restarts;
  // "pod a says: ...", the message of a member that died because of the
  // culprit, or empty.
  std::string cascade_message;
  // The first thing to do, in the imperative; empty if nothing.
  std::string first_step;
  // The command that stops work that its operator keeps retrying in vain, or
  // empty.
  std::string stop_command;
  // Something is broken, and a verdict is about it.
  bool broken = false;
  // What changes for the next attempt. The factor is 0 if the report has
  // nothing to multiply.
  std::vector<v1::ResourceChange> resources;
  // Oldest first.
  std::vector<Attempt> attempts;
  // Number of older ones that the ledger no longer has.
  int dropped = 0;
  // The failures that only the operator's counters show, or empty.
  std::string seeded_from;
  // Mulligan's first, then the operator's if the report has its object.
  std::vector<Side> sides;
  LedgerNote ledger;
};

// `ledger_source` is where the request's ledger was read from.
Story MakeStory(const v1::DecideRequest& request,
                const v1::DecideResponse& response,
                const std::string& ledger_source);

// Removes the warnings that there is no native verdict, and of its assumptions.
// People see the operator's verdict without asking for it.
void DropNativeWarnings(v1::DecideResponse& response);

// Fills request.ledger from the annotation of report.workload, or else of the
// first object that has it (custom resource, Jobs, pods). Returns where it was
// found, "Job ml/train". Returns empty if the request has a ledger or there is
// no annotation; also, with a warning, if the ledger belongs to another object
// (a copied annotation) or is invalid.
std::string TakeAnnotatedLedger(v1::DecideRequest& request,
                                std::vector<std::string>& warnings);

LedgerNote NoteLedger(const v1::WorkloadReference& workload,
                      const v1::BudgetLedger& ledger,
                      const std::string& source);

// A moment on a lane, in Unix seconds.
struct Moment {
  std::int64_t at = 0;
  std::string text;
  // Of an event: its position in the list of all, from 1.
  int number = 0;
};

// The bar of a pod or an attempt.
struct Lane {
  enum class Role { kRoot, kCascade, kDisrupted, kOther };

  std::string name;
  Role role = Role::kOther;
  // How it ended ("exit code 137"), or that it still runs.
  std::string note;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // It continues beyond `end`, the time of the observation.
  bool open = false;
  // Announced evictions and preemptions.
  std::vector<Moment> disruptions;
};

struct Timeline {
  std::vector<Lane> lanes;
  // By time.
  std::vector<Moment> events;
  // Lanes omitted because there are too many, or for lack of times.
  int hidden = 0;
  // Events omitted because there are too many.
  int hidden_events = 0;

  // The bounds of everything shown.
  std::int64_t Begin() const;
  std::int64_t End() const;
};

// Returns a lane for each attempt, the last 24; a moment if its duration is
// unknown. Empty for fewer than two attempts.
Timeline AttemptTimeline(const Story& story);

// Returns a lane for each pod, at most 24, and at most 20 events: the root, its
// cascades by time of death, disrupted pods, then the others.
Timeline MemberTimeline(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

// Returns the period of `members` in which they died; empty if that is most of
// the timeline.
Timeline ZoomToEnd(const Timeline& members);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_STORY_H_
