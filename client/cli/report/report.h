// What failures cost and what retries saved, from decision logs.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/numbers.h"
#include "client/cli/log/log_reader.h"
#include "client/cli/report/entry.h"
#include "client/cli/report/exhibits.h"
#include "client/cli/report/spent.h"
#include "client/cli/report/sums.h"

namespace mulligan::cli {

// Failures that have something in common. A failure that was told twice is one.
struct Cost {
  Count failures = 0;
  // That have at least one of them.
  Count workloads = 0;
  // Held by the attempts that ended with them.
  Spent lost;

  static auto Members(auto& self) {
    return std::tie(self.failures, self.workloads, self.lost);
  }
};

// How a workload with failures ended, as far as the log goes.
enum class End : std::uint8_t {
  kCompleted,
  kGivenUp,
  // WAIT_FOR_SPEC_UPDATE.
  kWaitsForAuthor,
  // Retried or waited for, and then the log ends, or nobody asked again.
  kNotKnown,
};
inline constexpr std::array kAllEnds = {End::kCompleted, End::kGivenUp,
                                        End::kWaitsForAuthor, End::kNotKnown};
inline constexpr std::size_t kEnds = kAllEnds.size();

// Of workloads that are listed by name, the others are counted.
inline constexpr std::size_t kMostNamed = 1000;

// What a rule did with the failures of the log.
struct Verdicts {
  // Retries of what comes again unless something is changed, or after which
  // the work was given up for the same cause, by this side or in fact; what the
  // attempts held that they started. Of retries that nobody made, where the
  // work was given up in fact, an attempt like the one before is assumed.
  Cost in_vain;
  // Of those the assumed ones.
  Cost assumed;
  // Workloads given up for a fault of the platform, and what their last attempt
  // held.
  Cost given_up;
  // Workloads that it gave up, and that completed: because another side went
  // on, or a person did. What the attempt held that completed.
  Cost completed;
  // Workloads that their operators gave up, and that this side started again,
  // with something changed or for what passes; what the attempt held after
  // which they did. How a retry would have ended that nobody made is not known.
  Cost tried_again;
  // Workloads that their operators gave up and this side did not, and that
  // completed; what the attempt held that did.
  Cost saved;
  // The costliest of each.
  Exhibits given_up_examples{kMostNamed};
  Exhibits completed_examples{kMostNamed};
  Exhibits tried_again_examples{kMostNamed};
  Exhibits saved_examples{kMostNamed};

  static auto Members(auto& self) {
    return std::tie(self.in_vain, self.assumed, self.given_up, self.completed,
                    self.tried_again, self.saved, self.given_up_examples,
                    self.completed_examples, self.tried_again_examples,
                    self.saved_examples);
  }
};

// Failures of one kind of many workloads within a short time.
struct Incident {
  std::string cause;
  // Seconds since 1970, from its first to its last failure, to two minutes.
  std::int64_t from = 0;
  std::int64_t to = 0;
  Cost cost;
};

// Something that, mended once, ends many failures: a node, or what failed and
// by which sign.
struct Mend {
  std::string what;
  Cost cost;
  Exhibits examples;
};

// What a budget paid.
struct BudgetCost {
  Count charged = 0;
  // Workloads that it ended.
  Count ended = 0;
  Spent lost;

  static auto Members(auto& self) {
    return std::tie(self.charged, self.ended, self.lost);
  }
};

// Which amount hours are told in: the scarcest that there is.
enum class Unit : std::uint8_t { kAccelerator, kCore, kPod };

using Rows = std::map<std::string, Cost>;
// Seconds since 1970 at 00:00 UTC.
using Day = std::int64_t;
inline constexpr std::int64_t kDaySeconds = 86'400;

// Each line that was read is of one kind: it is bad, left out for its time,
// about a failure told before, about nothing broken, about a good end, or the
// first about a failure.
struct LineCounts {
  Count lines = 0;
  Count bad_lines = 0;
  Count left_out = 0;
  Count repeated = 0;
  Count others = 0;
  Count good_ends = 0;
  // Failures and good ends of workloads with the label that names teams.
  Count labelled = 0;
  FirstOnes<std::string> bad;

  static auto Members(auto& self) {
    return std::tie(self.lines, self.bad_lines, self.left_out, self.repeated,
                    self.others, self.good_ends, self.labelled, self.bad);
  }
};

// What all failures add up to.
struct LostSums {
  Cost all;
  // Failures without a pod that has times: what they held is not known.
  Count without_times = 0;
  // The earliest and the latest failure, seconds since 1970.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  // What was done, in fact.
  Verdicts done;
  // The same by each side, of the workloads whose operator's own rule is known:
  // an object of it was told with each failure.
  std::array<Verdicts, kDeciders> verdicts;
  Cost comparable;
  std::array<Cost, kEnds> ends;
};

struct Report : LineCounts, LostSums {
  // The label that names teams; empty: none was asked for.
  std::string team_label;
  // Of a cluster: how often containers were restarted where they were, by what
  // the kubelet counted. Only the last run of each is known.
  Count restarts_in_place = 0;
  std::array<Rows, kBys> by;
  // Whether candidate policies were asked.
  bool compared = false;
  // Whether it is of a cluster's objects: what was done, the operators did.
  bool of_cluster = false;
  // From who has to act, over the budget that paid, to the end.
  std::map<std::pair<std::string, std::string>, std::array<Cost, kEnds>> flows;
  std::map<std::string, BudgetCost> budgets;
  // What was lost, by day and who has to act.
  std::map<Day, std::map<std::string, Cost>> days;
  // Failures of the platform, by node and day.
  std::map<std::string, std::map<Day, Count>> nodes;
  std::vector<Incident> incidents;
  // The costliest ten.
  std::vector<Mend> mends;

  Unit unit() const;
};

struct ReportSettings {
  EntrySettings entries;
  ReadSettings read;
  // What was observed before the one, or not before the other, is left out;
  // seconds since 1970.
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  // At least 1.
  unsigned threads = 1;
  // Of a part: the flags it is made with but for --compare.
  std::map<std::string, std::string> flags;
  // Of entries, before they are kept in a temporary file.
  std::size_t most_bytes = std::size_t{96} << 20;
};

// The report of the workloads that a cluster still has, each as it would have
// been told when its failures struck (retell.h): what their operators did is
// what was done, what `policies` say is the candidate. On one thread.
// RESOURCE_EXHAUSTED: a temporary file was needed and could not be written.
absl::StatusOr<Report> MakeReport(
    const std::vector<v1::FailureReport>& workloads, const PolicySet& policies,
    const ReportSettings& settings);

// How much of `spent` counts in `unit`.
std::int64_t AmountOf(const Spent& spent, Unit unit);

// "accelerator-hours", "core-hours", "pod-hours".
std::string_view ReportName(Unit unit);

// "cause", "team", ...
std::string_view ReportName(By by);
// "recorded", "native", "candidate".
std::string_view ReportName(Decider decider);
// "completed", "given up", "waits for its author", "not known".
std::string_view ReportName(End end);

// Rows by what was lost, most first, then by failures.
std::vector<std::pair<std::string, Cost>> CostliestFirst(const Rows& rows,
                                                         Unit unit);

// One screen: the headline, who has to act, both rules side by side, incidents,
// and what to mend first.
std::string ReportText(const Report& report);

// A page with plots. Every text from outside is escaped.
std::string ReportHtml(const Report& report);

// Everything there is. docs/report.md has the members.
std::string ReportJson(const Report& report);

// A line for each name that failures are added up by.
std::string ReportCsv(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_
