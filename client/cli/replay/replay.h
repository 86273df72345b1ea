// Taking logged decisions again, under other policies.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/rules/policy_set.h"

struct gzFile_s;

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
struct LogPosition {
  std::string file;
  std::size_t line = 0;

  bool operator<(const LogPosition& other) const {
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
  bool Wants(const LogPosition& place) const {
    return all_.size() < kMost || place < all_.rbegin()->first;
  }
  void Add(LogPosition place, Value value) {
    if (!Wants(place)) return;
    all_.insert_or_assign(std::move(place), std::move(value));
    if (all_.size() > kMost) all_.erase(std::prev(all_.end()));
  }
  void Merge(const FirstOnes& other) {
    for (const auto& [place, value] : other.all_) Add(place, value);
  }
  const std::map<LogPosition, Value>& all() const { return all_; }

 private:
  std::map<LogPosition, Value> all_;
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
  // What was replayed: of each list of logs the shards, "0/3". No part is added
  // twice.
  std::map<std::string, std::set<std::string>> parts;
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
  void Add(const v1::DecisionRecord& record, const LogPosition& place,
           const absl::StatusOr<const v1::DecideResponse*>& answer);
  void AddBad(const LogPosition& place, std::string why);
  void Merge(const ReplayResult& other);
};

// Of `count` shards, which together have every line once, number `index`, from
// 0: the completion index of an Indexed Job.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool Has(std::size_t line) const { return line % count == index; }
};

struct ReplayProgress {
  std::int64_t bytes_read = 0;
  // Of all files; 0: not known.
  std::int64_t bytes = 0;
  Count lines = 0;
};

struct ReplaySettings {
  Shard shard;
  // At least 1.
  unsigned threads = 1;
  // Called from time to time by the thread that called Replay; may be empty.
  std::function<void(const ReplayProgress&)> on_progress = nullptr;
};

struct LogBlock {
  // Position of its file among the files.
  std::size_t file = 0;
  // Number of its first line, from 1.
  std::size_t first_line = 1;
  // Lines, each with its line break but for the last one of a file.
  std::string text;
  // Not empty: the line behind the text, or the rest of this file, cannot be
  // read, and why.
  std::string error;
};

// The files that `paths` name: themselves, and of a directory those in it that
// do not begin with a dot, by name. NOT_FOUND names what does not exist.
absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths);

// Reads files one after the other, compressed by gzip or not. Used by one
// thread at a time.
class LogBlocks {
 public:
  // "-" is standard input.
  explicit LogBlocks(std::vector<std::string> files);
  ~LogBlocks();
  LogBlocks(const LogBlocks&) = delete;
  LogBlocks& operator=(const LogBlocks&) = delete;

  // The next block; false at the end of the last file.
  bool Next(LogBlock& block);

  const std::vector<std::string>& files() const { return files_; }
  // Bytes on disk: read so far, and of all files, 0 where that is not known.
  std::int64_t bytes_read() const;
  std::int64_t bytes() const { return bytes_; }

 private:
  bool Open(LogBlock& block);
  void Close();
  // Adds what the file has next to `text`; false at its end, or where it cannot
  // be read: `error` says why.
  bool Read(std::string& text, std::string& error);
  // Reads until the text has whole lines, or the file ends.
  void Fill(LogBlock& block);
  // Leaves an error of a line that is too long, and goes on behind it.
  void SkipLine(LogBlock& block);

  const std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  gzFile_s* file_ = nullptr;
  std::size_t line_ = 1;
  std::string rest_;  // what was read behind the last block
  std::int64_t bytes_ = 0;
  std::int64_t bytes_before_ = 0;  // of files that were read
};

// Decides each line of `logs` under `policies` and compares. The result is the
// same for any number of threads. What is not a DecisionRecord is counted and
// named, and stops nothing; nor does a file that cannot be read to its end.
ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    const ReplaySettings& settings);

// "1,234,567".
std::string WithCommas(Count count);

// `part` of `whole`: "1.2 %", "<0.1 %", "0 %".
std::string Percent(Count part, Count whole);

// The names of `tallies` by changed decisions, most first, then by decisions.
std::vector<std::pair<std::string, Tally>> MostChangedFirst(
    const Tallies& tallies);

// Counts by name, most first.
std::vector<std::pair<std::string, Count>> MostFirst(
    const std::map<std::string, Count>& counts);

// What would change, by cause, policy and kind, with examples. `policies` says
// which ones were asked, such as "policies/".
std::string ReplayText(const ReplayResult& result, std::string_view policies);

// Every text from outside is escaped. `policies` as for ReplayText.
std::string ReplayHtml(const ReplayResult& result, std::string_view policies);

// Ends in a line break. docs/cli.md has the members.
std::string ReplayJson(const ReplayResult& result);

// What ReplayJson printed. INVALID_ARGUMENT says what is missing or wrong.
absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
