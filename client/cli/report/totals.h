// Entries added up, names still numbers.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/report.h"

namespace mulligan::cli {

// Incidents are looked for in windows of ten minutes, in steps of two.
inline constexpr std::int64_t kMomentSeconds = 120;
inline constexpr std::int64_t kWindowMoments = 5;

// Failures of one cause in one step.
struct CauseStep {
  Count failures = 0;
  Spent lost;
  // Workloads that failed of it, and had not in the window before.
  Count begun = 0;
  // Those whose last failure of it has left the window.
  Count over = 0;

  CauseStep& operator+=(const CauseStep& other) {
    failures += other.failures;
    lost += other.lost;
    begun += other.begun;
    over += other.over;
    return *this;
  }
};

struct ReportTotals {
  using Number = std::uint32_t;

  Cost all;
  Count repeated = 0;
  Count without_times = 0;
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  std::array<absl::flat_hash_map<Number, Cost>, kBys> by;
  Verdicts done;
  std::array<Verdicts, kDeciders> verdicts;
  Cost comparable;
  std::array<Cost, kEnds> ends;
  // By domain and budget.
  absl::flat_hash_map<std::pair<Number, Number>, std::array<Cost, kEnds>> flows;
  absl::flat_hash_map<Number, BudgetCost> budgets;
  // By day and domain.
  absl::flat_hash_map<std::pair<Day, Number>, Cost> days;
  // Failures of the platform: by node and day, by cause and moment.
  absl::flat_hash_map<std::pair<Number, Day>, Count> nodes;
  absl::flat_hash_map<std::pair<Number, std::int64_t>, CauseStep> moments;

  void Merge(const ReportTotals& other);
};

// Adds the entries of one part of a store: the whole story of each workload in
// it, in any order.
void AddWorkloads(std::vector<KeptEntry> entries, ReportTotals& totals);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_TOTALS_H_
