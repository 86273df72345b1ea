// Taking logged decisions again, under other policies.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/log/log_reader.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

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

// Decides each line of `logs` and hands what was answered and would be, as JSON
// on one line with its line break (docs/cli.md has the members), to `take`,
// which is called by one thread at a time, in the order of lines where
// `threads` is 1.
void ReplayRows(LogBlocks& logs, const PolicySet& policies, unsigned threads,
                const ReadSettings& settings,
                const std::function<void(const std::string&)>& take);

// Decides each line of `logs` under `policies` and compares. The result is the
// same for any number of threads. What is not a DecisionRecord is counted and
// named, and stops nothing; nor does a file that cannot be read to its end.
ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    unsigned threads, const ReadSettings& settings);

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
// Its article alone, for a page that has the style sheet.
std::string ReplayArticle(const ReplayResult& result,
                          std::string_view policies);

// Ends in a line break. docs/cli.md has the members.
std::string ReplayJson(const ReplayResult& result);

// What ReplayJson printed. INVALID_ARGUMENT says what is missing or wrong.
absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
