// Computes from decision logs what failures cost and what retries saved.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/base/numbers.h"
#include "client/cli/log/log_reader.h"
#include "client/cli/report/entry.h"
#include "client/cli/report/spent.h"
#include "client/cli/report/sums.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan::cli {

// Failures with something in common. A failure counts once, however often it is
// reported.
struct Cost {
  Count failures = 0;
  // Those with at least one of the failures.
  Count workloads = 0;
  // Used by the attempts that ended with the failures.
  Spent lost;

  static auto Members(auto& self) {
    return std::tie(self.failures, self.workloads, self.lost);
  }
};

// A failure that represents a group.
struct Exhibit {
  // The hash of its workload.
  std::uint64_t key = 0;
  // "Job ml/train".
  std::string workload;
  // Seconds since 1970.
  std::int64_t observed = 0;
  Spent lost;
  // Diagnosis.problem, else its summary; empty if only the workload matters.
  std::string problem;
  v1::FirstStep first_step;
};

// The costliest exhibits, one per workload. The result does not depend on the
// order of additions.
class Exhibits {
 public:
  // The default number per group.
  static constexpr std::size_t kFew = 3;

  explicit Exhibits(std::size_t most = kFew) : most_(most) {}

  void Add(Exhibit example);
  Exhibits& operator+=(const Exhibits& other);
  const std::vector<Exhibit>& all() const { return all_; }

 private:
  std::size_t most_;
  std::vector<Exhibit> all_;
};

// Returns at most `most` of the costliest.
inline std::span<const Exhibit> FirstOf(const Exhibits& examples,
                                        std::size_t most) {
  return std::span(examples.all()).first(std::min(most, examples.all().size()));
}

// How a workload with failures ended, by the end of the log.
enum class End : std::uint8_t {
  kCompleted,
  kGivenUp,
  // WAIT_FOR_SPEC_UPDATE.
  kWaitsForAuthor,
  // Retried or waiting when the log ends, or not asked about again.
  kNotKnown,
};
inline constexpr std::array kAllEnds = {End::kCompleted, End::kGivenUp,
                                        End::kWaitsForAuthor, End::kNotKnown};
inline constexpr std::size_t kEnds = kAllEnds.size();

// The most workloads listed by name; the others are only counted.
inline constexpr std::size_t kMaxNamed = 1000;

// What one side did with the failures of the log.
struct Verdicts {
  // Retries of failures that recur unless something changes, or before the work
  // was given up for the same cause, by this side or in fact. Costs the
  // attempts that they started; for a retry that was not made because the work
  // was given up in fact, an assumed attempt like the one before.
  Cost in_vain;
  // The part of in_vain that is assumed.
  Cost assumed;
  // Workloads given up for a fault of the platform. Costs their last attempt.
  Cost given_up;
  // Workloads that this side gave up and that completed, because another side
  // or a person continued. Costs the attempt that completed.
  Cost completed;
  // Workloads that their operators gave up and this side restarted, with a
  // change or for a transient failure. Costs the attempt after which the
  // operators gave up. The result of a retry that was not made is unknown.
  Cost tried_again;
  // Workloads that their operators gave up, this side did not, and that
  // completed. Costs the attempt that completed.
  Cost saved;
  // Workloads whose retries by others this side would have ended, and that
  // failed again and did not complete. Costs the attempts after that.
  Cost would_stop;
  // Workloads whose retries by others the policy's brake ended; only of the
  // recorded side. Costs the attempts that the operator had left by its own
  // limit, at least one, each as much as the last one.
  Cost stopped;
  // The costliest of each.
  Exhibits given_up_examples{kMaxNamed};
  Exhibits completed_examples{kMaxNamed};
  Exhibits tried_again_examples{kMaxNamed};
  Exhibits saved_examples{kMaxNamed};
  Exhibits would_stop_examples{kMaxNamed};
  Exhibits stopped_examples{kMaxNamed};

  static auto Members(auto& self) {
    return std::tie(self.in_vain, self.assumed, self.given_up, self.completed,
                    self.tried_again, self.saved, self.would_stop, self.stopped,
                    self.given_up_examples, self.completed_examples,
                    self.tried_again_examples, self.saved_examples,
                    self.would_stop_examples, self.stopped_examples);
  }
};

// Failures with one cause of many workloads within a short time.
struct Incident {
  std::string cause;
  // Seconds since 1970 of the first and last failure, to two minutes.
  std::int64_t from = 0;
  std::int64_t to = 0;
  Cost cost;
};

// Something whose repair ends many failures: a node, or what failed and by
// which sign.
struct RepairTarget {
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

// The amount shown as hours: the scarcest one used.
enum class Unit : std::uint8_t { kAccelerator, kCore, kPod };

using Rows = std::map<std::string, Cost>;
// Seconds since 1970 at 00:00 UTC.
using Day = std::int64_t;
inline constexpr std::int64_t kDaySeconds = 86'400;

// Counts of lines. Each line is one of: bad, left out because of its time,
// about a failure already reported, about nothing broken, about a good end, or
// the first about a failure.
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

// The sums over all failures.
struct LostSums {
  Cost all;
  // Failures without a pod with times, whose cost is unknown.
  Count without_times = 0;
  // The earliest and latest failure, in seconds since 1970.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  // What was done in fact.
  Verdicts done;
  // By side, only of workloads whose operator's rule is known because each
  // failure was reported with an object of it.
  std::array<Verdicts, kDeciders> verdicts;
  Cost comparable;
  std::array<Cost, kEnds> ends;
};

struct Report : LineCounts, LostSums {
  // The label that names teams; empty if none was given.
  std::string team_label;
  // For a cluster: the kubelet's count of restarts in place. Only the last run
  // of each container is known.
  Count restarts_in_place = 0;
  std::array<Rows, kBys> by;
  // Candidate policies were evaluated.
  bool compared = false;
  // Made from a cluster's objects: what was done is what the operators did.
  bool of_cluster = false;
  // From domain and budget to the end.
  std::map<std::pair<std::string, std::string>, std::array<Cost, kEnds>> flows;
  std::map<std::string, BudgetCost> budgets;
  // Cost by day and domain.
  std::map<Day, std::map<std::string, Cost>> days;
  // Failures of the platform, by node and day.
  std::map<std::string, std::map<Day, Count>> nodes;
  std::vector<Incident> incidents;
  // The ten costliest.
  std::vector<RepairTarget> repair_targets;

  Unit unit() const;
};

struct ReportSettings {
  EntrySettings entries;
  ReadSettings read;
  // Leaves out observations before `since`, and at or after `until`; seconds
  // since 1970.
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  // At least 1.
  unsigned threads = 1;
  // For a part: the flags it is made with, except --compare.
  std::map<std::string, std::string> flags;
  // The most bytes of entries in memory; more go to a temporary file.
  std::size_t most_bytes = std::size_t{96} << 20;
};

// Returns the report of the workloads that a cluster still has, each as it
// would have been reported when its failures happened (past_reports.h). What
// their operators did is what was done; `policies` are the candidate. Uses one
// thread. RESOURCE_EXHAUSTED if a temporary file could not be written.
absl::StatusOr<Report> MakeReport(
    const std::vector<v1::FailureReport>& workloads, const PolicySet& policies,
    const ReportSettings& settings);

// Returns the amount of `spent` in `unit`, in milliseconds.
std::int64_t AmountOf(const Spent& spent, Unit unit);

// Returns "accelerator-hours", "core-hours" or "pod-hours".
std::string_view ReportName(Unit unit);

// Returns "cause", "team" and so on.
std::string_view ReportName(By by);
// Returns "recorded", "native" or "candidate".
std::string_view ReportName(Decider decider);
// Returns "completed", "given up", "waits for its author" or "not known".
std::string_view ReportName(End end);

// Returns the rows by cost, most first, then by failures.
std::vector<std::pair<std::string, Cost>> CostliestFirst(const Rows& rows,
                                                         Unit unit);

// Returns one screen: headline, who has to act, comparison of the sides,
// incidents, and what to fix first.
std::string ReportText(const Report& report);

// Returns a page with plots. Escapes all text from outside.
std::string ReportHtml(const Report& report);

// docs/report.md lists the members.
std::string ReportJson(const Report& report);

// Returns a line for each name by which failures are summed.
std::string ReportCsv(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_H_
