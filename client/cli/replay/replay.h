// Decides logged requests again under other policies.
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

// Counts of decisions with something in common.
struct Tally {
  Count decisions = 0;
  // Decisions that would change, by what changes: "RETRY to FAIL", "delay".
  std::map<std::string, Count> changes;

  Count changed() const;
};

// Tallies by name: a cause, policy, kind or day. At most kMaxNames; later
// names count as kOtherNames, because names come from outside.
class Tallies {
 public:
  static constexpr std::size_t kMaxNames = 1000;
  static constexpr char kOtherNames[] = "(others)";

  Tally& At(const std::string& name);
  void Merge(const Tallies& other);
  const std::map<std::string, Tally>& all() const { return all_; }

 private:
  std::map<std::string, Tally> all_;
};

// Failures charged to a budget.
struct Charges {
  Count recorded = 0;
  Count replayed = 0;
};

// A decision that would change.
struct Example {
  std::string decision_id;
  // "Job ml/train".
  std::string workload;
  std::string change;
  // The recorded and the new answer, as sentences.
  std::string recorded;
  std::string replayed;
};

struct ReplayResult {
  // The revision of the policies; results of different ones cannot be merged.
  std::string revision;
  // The shards that were replayed, "0/3", by list of logs. None may be added
  // twice.
  std::map<std::string, std::set<std::string>> parts;
  Count lines = 0;
  // Lines that are not a DecisionRecord; not counted elsewhere except in
  // `lines`.
  Count bad_lines = 0;
  // Records with redacted requests, whose answers may differ for that reason.
  Count redacted = 0;
  // Decisions without an answer under these policies, also counted as changed.
  Count no_answer = 0;
  Tally all;
  // The number of decisions by difference. A decision may have several.
  std::map<std::string, Count> differences;
  Tallies by_cause;
  Tallies by_policy;
  Tallies by_kind;
  // "2026-11-22".
  Tallies by_day;
  std::map<std::string, Charges> budgets;
  // Decisions by the revision of the policies then in force.
  std::map<std::string, Count> recorded_revisions;
  FirstOnes<Example> examples;
  FirstOnes<std::string> bad;

  // Adds one decision; `answer` is what these policies return for `record`.
  void Add(const v1::DecisionRecord& record, const LogPosition& place,
           const absl::StatusOr<const v1::DecideResponse*>& answer);
  void AddBad(const LogPosition& place, std::string why);
  void Merge(const ReplayResult& other);
};

// Decides each line of `logs` and passes the recorded and the new answer to
// `take`, as one line of JSON with its line break (docs/cli.md lists the
// members). Calls `take` from one thread at a time; in line order if `threads`
// is 1.
void ReplayRows(LogBlocks& logs, const PolicySet& policies, unsigned threads,
                const ReadSettings& settings,
                const std::function<void(const std::string&)>& take);

// Decides each line of `logs` under `policies` and compares the answers. The
// result does not depend on the number of threads. Counts and lists lines that
// are not a DecisionRecord, and continues after unreadable parts of files.
ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    unsigned threads, const ReadSettings& settings);

// Returns the names by changed decisions, most first, then by decisions.
std::vector<std::pair<std::string, Tally>> MostChangedFirst(
    const Tallies& tallies);

// Returns counts by name, most first.
std::vector<std::pair<std::string, Count>> MostFirst(
    const std::map<std::string, Count>& counts);

// Returns what would change, by cause, policy and kind, with examples.
// `policies` names the policies that were used, such as "policies/".
std::string ReplayText(const ReplayResult& result, std::string_view policies);

// Escapes all text from outside. `policies` is as for ReplayText.
std::string ReplayHtml(const ReplayResult& result, std::string_view policies);
// Returns only the article, for a page that has the style sheet.
std::string ReplayArticle(const ReplayResult& result,
                          std::string_view policies);

// Returns JSON with a final line break. docs/cli.md lists the members.
std::string ReplayJson(const ReplayResult& result);

// Parses the output of ReplayJson. INVALID_ARGUMENT says what is wrong.
absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
