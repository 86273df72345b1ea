// Entries added up, with names as numbers.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/report.h"

namespace mulligan::cli {

// Incidents are windows of ten minutes, in steps of two.
inline constexpr std::int64_t kMomentSeconds = 120;
inline constexpr std::int64_t kWindowMoments = 5;

// Failures with one cause in one step.
struct CauseStep {
  Count failures = 0;
  Spent lost;
  // Workloads that failed with it, and had not in the window before.
  Count begun = 0;
  // Workloads whose last such failure has left the window.
  Count over = 0;

  static auto Members(auto& self) {
    return std::tie(self.failures, self.lost, self.begun, self.over);
  }
};

struct ReportTotals : LostSums {
  using Number = std::uint32_t;

  Count repeated = 0;
  std::array<absl::flat_hash_map<Number, Cost>, kBys> by;
  // By domain and budget.
  absl::flat_hash_map<std::pair<Number, Number>, std::array<Cost, kEnds>> flows;
  absl::flat_hash_map<Number, BudgetCost> budgets;
  // By day and domain.
  absl::flat_hash_map<std::pair<Day, Number>, Cost> days;
  // Failures of the platform: by node and day, by cause and moment.
  absl::flat_hash_map<std::pair<Number, Day>, Count> nodes;
  absl::flat_hash_map<std::pair<Number, std::int64_t>, CauseStep> moments;

  // All except `first` and `last`.
  static auto Members(auto& self) {
    return std::tie(self.all, self.without_times, self.done, self.verdicts,
                    self.comparable, self.ends, self.repeated, self.by,
                    self.flows, self.budgets, self.days, self.nodes,
                    self.moments);
  }
  void Merge(const ReportTotals& other);
};

// Adds all entries of one part of a store, in any order. It has all entries of
// each of its workloads.
void AddWorkloads(std::vector<KeptEntry> entries, ReportTotals& totals);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_
