// Why the work stopped and what became of it, as data: people get the same
// story as text and as a page. And the ledger that the next attempt brings
// along, as an annotation of the object.
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
  // When it ended or, `observed`, when that was reported.
  google::protobuf::Timestamp ended;
  bool observed = false;
  // Why it has no end yet: "still waiting", "-". Empty: it ended, or is of an
  // earlier report.
  std::string no_end;
  // Absent: unknown.
  std::optional<google::protobuf::Duration> ran_for;
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  // Empty: unknown.
  std::string node;
  // "memory 1/3"; "nothing".
  std::string paid_by;
  // "retry the pod in 9s with memory x1.5"; "nobody asked then" of an attempt
  // that only the objects show.
  std::string done;
  // The failure that the answer is about.
  bool at_hand = false;
};

// One party's verdict and the limit that goes with it.
struct Side {
  // "Mulligan", or the operator's name.
  std::string who;
  // "RETRY the pod in 9s (at 09:07:43 UTC)".
  std::string verdict;
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  // The budget or setting that counts it, "memory"; without a name: none does.
  struct Limit {
    std::string name;
    long long used = 0;
    long long bound = 0;
  };
  Limit limit;
  // "Failed, BackoffLimitExceeded: Job has ..."; of operators only.
  std::string words;

  // "memory 1 of 3 used"; "backoffLimit of 0 exceeded (1)"; "not counted".
  std::string Price() const;
};

// The new ledger, and where it is kept.
struct LedgerNote {
  // What the old one was read from: "Job ml/train, annotation ..."; empty:
  // there was none.
  std::string source;
  // Compact JSON; empty: there is nothing to keep.
  std::string json;
  // The shell command that stores it on the object.
  std::string command;
};

struct Story {
  // "Job ml/train"; empty: nothing tells.
  std::string workload;
  // What stopped it, with names and numbers.
  std::string headline;
  // Of containers in place: "container main 7 times, in place"; empty: none.
  std::string restarts;
  // What one of those that died because of the culprit says; empty: nothing.
  std::string echo;
  // The first thing to do, in the imperative; empty: nothing.
  std::string first_step;
  // The command that stops work whose operator goes on in vain; empty: it does
  // not, or nothing stops it.
  std::string stop_command;
  // Something is broken, so that a verdict is about it.
  bool broken = false;
  // What changes for the next attempt. A factor of 0: by how much it grows says
  // nothing, since the report has nothing to multiply.
  std::vector<v1::ResourceChange> resources;
  // Oldest first.
  std::vector<Attempt> attempts;
  // Older ones that the ledger no longer has.
  int dropped = 0;
  // Failures that only the operator's counters told of; empty: none.
  std::string seeded_from;
  // Ours first, then the operator's where the report has its object.
  std::vector<Side> sides;
  LedgerNote ledger;
};

// `ledger_source` is what the request's ledger was read from.
Story TellStory(const v1::DecideRequest& request,
                const v1::DecideResponse& response,
                const std::string& ledger_source);

// People see the operator's verdict unasked. Only who asks for it hears that
// there is none, or what it had to assume.
void DropNativeWarnings(v1::DecideResponse& response);

// "container main 7 times, in place", or of a gang who most; empty: no
// container was restarted.
std::string RestartsIn(const v1::FailureReport& report);

// "pod a says: ..."; empty: no cascade has words.
std::string EchoOf(const v1::Diagnosis& diagnosis);

// Fills the limit of an operator that gave up by its own count and whose
// verdict does not say so.
void FindOwnCount(const v1::FailureReport& report,
                  const v1::NativeVerdict& native, Side& side);

// What stopped the work, in a sentence.
std::string ProblemOf(const v1::DecideResponse& response);

// Fills request.ledger from the annotation, unless the request has a ledger:
// that of report.workload, of the most senior object that has one (custom
// resource, Jobs, pods), in this order. Returns where it was found, "Job
// ml/train"; empty: nowhere, or with a warning in `warnings` when the ledger is
// of another object (a copied annotation) or is none at all: what happened can
// be told without it.
std::string TakeAnnotatedLedger(v1::DecideRequest& request,
                                std::vector<std::string>& warnings);

// What people are told about the `ledger` of an answer.
LedgerNote NoteLedger(const v1::WorkloadReference& workload,
                      const v1::BudgetLedger& ledger,
                      const std::string& source);

// Something at one moment of a lane; Unix seconds.
struct Moment {
  std::int64_t at = 0;
  std::string text;
  // Of an event: its place in the list of all, from 1.
  int number = 0;
};

// A bar: a pod or an attempt.
struct Lane {
  enum class Role { kRoot, kCascade, kDisrupted, kOther };

  std::string name;
  Role role = Role::kOther;
  // How it ended, or that it goes on: "exit code 137".
  std::string note;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // It runs on beyond `end`, which is when it was looked at.
  bool open = false;
  // The eviction or preemption it was announced for.
  std::vector<Moment> disruptions;
};

struct Timeline {
  std::vector<Lane> lanes;
  // In order of time.
  std::vector<Moment> events;
  // Lanes that were left out: too many, or without times.
  int hidden = 0;
  // Events that were left out, being too many.
  int hidden_events = 0;

  // Bounds of all that is shown.
  std::int64_t Begin() const;
  std::int64_t End() const;
};

// One lane for each attempt whose duration is known or guessed as a moment.
// Empty for less than two.
Timeline AttemptTimeline(const Story& story);

// One lane for each pod: the root, those it took along in the order in which
// they died, then the others; at most 24, and 20 events.
Timeline MemberTimeline(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

// The part of `members` in which they died, without what was before; empty
// where it is a large part of the whole anyway.
Timeline TheEndOf(const Timeline& members);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_STORY_H_
