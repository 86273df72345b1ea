// What other policies would have decided: counts that add up over lines,
// threads, shards and runs.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_RESULT_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "mulligan/v1/decision_record.pb.h"

namespace mulligan::cli {

using Count = std::int64_t;

// Decisions that have something in common.
struct Tally {
  Count decisions = 0;
  // Those that would be others, by what changes: "RETRY to FAIL", "delay".
  std::map<std::string, Count> changes;

  Count changed() const;
};

// By name: a cause, a policy, a kind, a day. At most kMostNames; what comes
// later is counted as kOtherNames, because names come from outside.
class Tallies {
 public:
  static constexpr std::size_t kMostNames = 1000;
  static constexpr char kOtherNames[] = "(others)";

  Tally& At(const std::string& name);
  void Merge(const Tallies& other);
  const std::map<std::string, Tally>& all() const { return all_; }

 private:
  std::map<std::string, Tally> all_;
};

// What a budget paid, in failures tolerated.
struct Charges {
  Count recorded = 0;
  Count replayed = 0;
};

// A place in a log.
struct LogPlace {
  std::string file;
  std::size_t line = 0;

  bool operator<(const LogPlace& other) const {
    return file != other.file ? file < other.file : line < other.line;
  }
  // "decisions.jsonl:12".
  std::string Text() const;
};

// The first of something, in the order of their places.
template <typename Value>
class FirstOnes {
 public:
  static constexpr std::size_t kMost = 20;

  // Whether Add would keep what is at `place`.
  bool Wants(const LogPlace& place) const {
    return all_.size() < kMost || place < all_.rbegin()->first;
  }
  void Add(LogPlace place, Value value) {
    if (!Wants(place)) return;
    all_.insert_or_assign(std::move(place), std::move(value));
    if (all_.size() > kMost) all_.erase(std::prev(all_.end()));
  }
  void Merge(const FirstOnes& other) {
    for (const auto& [place, value] : other.all_) Add(place, value);
  }
  const std::map<LogPlace, Value>& all() const { return all_; }

 private:
  std::map<LogPlace, Value> all_;
};

// A decision that would be another one.
struct Example {
  std::string decision_id;
  // "Job ml/train".
  std::string workload;
  std::string change;
  // What was answered, and what would be.
  std::string recorded;
  std::string replayed;
};

struct ReplayResult {
  // Revision of the policies that were replayed against; results of several
  // cannot be merged.
  std::string revision;
  Count lines = 0;
  // Lines that are no DecisionRecord; they change nothing else here.
  Count bad_lines = 0;
  // Records whose request was blanked in part: the answer may differ for that.
  Count redacted = 0;
  // Decisions without an answer under these policies; they count as changed.
  Count no_answer = 0;
  Tally all;
  // Of each difference how many decisions have it; one may have several.
  std::map<std::string, Count> differences;
  Tallies by_cause;
  Tallies by_policy;
  Tallies by_kind;
  // "2026-11-22".
  Tallies by_day;
  std::map<std::string, Charges> budgets;
  // Policies that were in force, by revision.
  std::map<std::string, Count> recorded_revisions;
  FirstOnes<Example> examples;
  FirstOnes<std::string> bad;

  // Adds one decision taken again: `answer` is what these policies say to
  // `record`.
  void Add(const v1::DecisionRecord& record, const LogPlace& place,
           const absl::StatusOr<const v1::DecideResponse*>& answer);
  void AddBad(const LogPlace& place, std::string why);
  void Merge(const ReplayResult& other);
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_RESULT_H_
