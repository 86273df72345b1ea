#include "client/cli/report/gathered.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>

namespace mulligan::cli {
namespace {

constexpr std::size_t kMaxIncidents = 20;
constexpr Count kIncidentWorkloads = 5;
constexpr Count kIncidentFactor = 5;

// By number, of one cause.
using Moments = std::map<std::int64_t, CauseStep>;

// A period in moments; `to` is exclusive.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Count workloads = 0;
};

// Returns the sum over all moments of workloads with failures in the window.
Count AllActive(const Moments& moments) {
  Count active = 0;
  Count all = 0;
  for (auto at = moments.begin(); at != moments.end(); ++at) {
    active += at->second.begun - at->second.over;
    const auto next = std::next(at);
    if (next != moments.end()) all += active * (next->first - at->first);
  }
  return all;
}

// Returns the periods with many failures, including their windows. They begin
// and end only at recorded moments.
std::vector<Span> Busy(const Moments& moments, std::int64_t whole) {
  const Count all = AllActive(moments);
  std::vector<Span> busy;
  Count active = 0;
  bool open = false;
  for (const auto& [number, moment] : moments) {
    active += moment.begun - moment.over;
    const bool many =
        active >= kIncidentWorkloads && active * whole >= kIncidentFactor * all;
    if (open) busy.back().to = number;
    const std::int64_t from = number - kWindowMoments + 1;
    if (many && !open && (busy.empty() || busy.back().to < from)) {
      busy.push_back({from, number, active});
    } else if (many) {
      busy.back().workloads += moment.begun;
    }
    open = many;
  }
  return busy;
}

// Returns the failures in `span`, from the first to the last.
Incident IncidentIn(const std::string& cause, const Moments& moments,
                    const Span& span) {
  Incident incident = {cause, 0, 0, {0, span.workloads, {}}};
  for (auto at = moments.lower_bound(span.from);
       at != moments.end() && at->first < span.to; ++at) {
    const auto& [number, moment] = *at;
    if (moment.failures == 0) continue;
    if (incident.cost.failures == 0) incident.from = number * kMomentSeconds;
    incident.to = (number + 1) * kMomentSeconds;
    incident.cost.failures += moment.failures;
    incident.cost.lost += moment.lost;
  }
  return incident;
}

// Returns when many workloads failed at once with one fault of the platform,
// the costliest first, at most twenty. A moment is part of an incident if in
// the ten minutes up to it at least five workloads failed with one cause, and
// five times as many as on average over the log.
std::vector<Incident> IncidentsIn(const ReportTotals& totals,
                                  const Names& names, Unit unit) {
  std::map<std::string, Moments> by_cause;
  for (const auto& [key, moment] : totals.moments) {
    by_cause[names.NameOf(key.first)][key.second] += moment;
  }
  std::vector<Incident> incidents;
  for (const auto& [cause, moments] : by_cause) {
    const std::int64_t whole =
        (totals.last - totals.first) / kMomentSeconds + kWindowMoments;
    for (const Span& span : Busy(moments, whole)) {
      incidents.push_back(IncidentIn(cause, moments, span));
    }
  }
  std::ranges::stable_sort(
      incidents, std::greater(), [unit](const Incident& incident) {
        return std::tuple(AmountOf(incident.cost.lost, unit),
                          incident.cost.workloads);
      });
  if (incidents.size() > kMaxIncidents) incidents.resize(kMaxIncidents);
  return incidents;
}

constexpr std::size_t kMaxMends = 10;

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
  const Rows& signs = AtKey(report.by, By::kSign);
  for (const auto& [sign, cost] : CostliestFirst(signs, report.unit())) {
    if (report.repair_targets.size() == kMaxMends) return;
    const auto found = examples.find(names.NumberOf(sign));
    report.repair_targets.push_back(
        {sign, cost, found == examples.end() ? Exhibits() : found->second});
  }
}

}  // namespace

// Threads share the stores; each adds up different parts.
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

Report BuildReport(Gathered& gathered) {
  const ReportTotals& totals = gathered.totals;
  Report report = std::move(gathered.read);
  report.repeated += totals.repeated;
  if (gathered.made_with.has_value()) {
    const auto label = gathered.made_with->find(kTeamLabelFlag);
    if (label != gathered.made_with->end()) report.team_label = label->second;
  }
  static_cast<LostSums&>(report) = totals;
  NameAll(totals, gathered.names, report);
  report.incidents = IncidentsIn(totals, gathered.names, report.unit());
  FindMends(gathered.examples, gathered.names, report);
  return report;
}

}  // namespace mulligan::cli
