#include "client/cli/report/gathered.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>

#include "client/cli/report/incidents.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kMostMends = 10;

Rows NamedRows(const absl::flat_hash_map<std::uint32_t, Cost>& costs,
               const Names& names) {
  Rows rows;
  for (const auto& [number, cost] : costs) rows[names.NameOf(number)] += cost;
  return rows;
}

void NameAll(const ReportTotals& totals, const Names& names, Report& report) {
  for (std::size_t i = 0; i < kBys; ++i) {
    report.by[i] = NamedRows(totals.by[i], names);
  }
  for (const auto& [key, costs] : totals.flows) {
    report.flows[{names.NameOf(key.first), names.NameOf(key.second)}] = costs;
  }
  for (const auto& [number, cost] : totals.budgets) {
    report.budgets[names.NameOf(number)] = cost;
  }
  for (const auto& [key, spent] : totals.days) {
    report.days[key.first][names.NameOf(key.second)] = spent;
  }
  for (const auto& [key, count] : totals.nodes) {
    report.nodes[names.NameOf(key.first)][key.second] = count;
  }
}

void FindMends(const SignExhibits& examples, Names& names, Report& report) {
  const Rows& signs = report.by[static_cast<std::size_t>(By::kSign)];
  for (const auto& [sign, cost] : CostliestFirst(signs, report.unit())) {
    if (report.mends.size() == kMostMends) return;
    const auto found = examples.find(names.NumberOf(sign));
    report.mends.push_back(
        {sign, cost, found == examples.end() ? Exhibits() : found->second});
  }
}

}  // namespace

// A store is read by several threads, each another part.
absl::Status AddUp(Gathered& gathered, unsigned threads) {
  std::vector<ReportTotals> totals(threads);
  std::mutex reading;
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> running;
  for (ReportTotals& mine : totals) {
    running.emplace_back([&] {
      for (std::size_t part = next++; part < EntryStore::kParts;
           part = next++) {
        std::string bytes;
        {
          const std::lock_guard lock(reading);
          for (const auto& store : gathered.stores) {
            store->AppendPart(part, bytes);
          }
        }
        AddWorkloads(ReadEntries(bytes), mine);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const auto& store : gathered.stores) {
    if (!store->status().ok()) return store->status();
  }
  gathered.stores.clear();
  for (const ReportTotals& more : totals) gathered.totals.Merge(more);
  return absl::OkStatus();
}

Report Tell(Gathered& gathered) {
  const ReportTotals& totals = gathered.totals;
  Report report = std::move(gathered.read);
  report.repeated += totals.repeated;
  if (gathered.made_with.has_value()) {
    const auto label = gathered.made_with->find(kTeamLabelFlag);
    if (label != gathered.made_with->end()) report.team_label = label->second;
  }
  report.all = totals.all;
  report.without_times = totals.without_times;
  if (totals.all.failures > 0) {
    report.first = totals.first;
    report.last = totals.last;
  }
  report.done = totals.done;
  report.verdicts = totals.verdicts;
  report.comparable = totals.comparable;
  report.ends = totals.ends;
  NameAll(totals, gathered.names, report);
  report.incidents = IncidentsIn(totals, gathered.names, report.unit());
  FindMends(gathered.examples, gathered.names, report);
  return report;
}

}  // namespace mulligan::cli
