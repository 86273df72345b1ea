// Why the work stopped and what became of it, as data: people get the same
// story as text and as a page.
#ifndef MULLIGAN_CLIENT_CLI_STORY_STORY_H_
#define MULLIGAN_CLIENT_CLI_STORY_STORY_H_

#include <optional>
#include <string>
#include <vector>

#include "client/cli/input/container_specs.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// One failed attempt: a record of the ledger.
struct Attempt {
  int number = 0;
  // When it ended or, `observed`, when that was reported.
  google::protobuf::Timestamp ended;
  bool observed = false;
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
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  // The failure that the answer is about.
  bool at_hand = false;
};

// One party's verdict and the limit that goes with it.
struct Side {
  // "Mulligan", or the operator's name.
  std::string who;
  // "RETRY the pod in 9s".
  std::string verdict;
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  // The budget or setting that counts it, "memory"; empty: not counted.
  std::string limit_name;
  long long used = 0;
  long long limit = 0;
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
  // The first thing to do, in the imperative; empty: nothing.
  std::string first_step;
  // Something is broken, so that a verdict is about it.
  bool broken = false;
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
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
                const v1::DecideResponse& response, const ContainerSpecs& specs,
                const std::string& ledger_source);

struct DifferentCauses {
  // "3 attempts failed for different reasons (CONTAINER_OOM, APP_ERROR,
  // DRAINED)"; empty: one reason, or the operator has not given up.
  std::string remark;
  // "CONTAINER_OOM and APP_ERROR before it need a person"; empty where the last
  // failure needs one too, or none does.
  std::string step;
};

DifferentCauses FindDifferentCauses(const v1::DecideResponse& response);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_STORY_H_
