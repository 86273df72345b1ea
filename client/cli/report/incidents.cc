#include "client/cli/report/incidents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace mulligan::cli {
namespace {

constexpr std::size_t kMostIncidents = 20;
constexpr Count kIncidentWorkloads = 5;
constexpr Count kIncidentFactor = 5;

// Of one cause, by number.
using Moments = std::map<std::int64_t, CauseStep>;

// From when until when, in moments; the end is not part of it.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Count workloads = 0;
};

// The sum over all moments of the workloads whose failures were in the window.
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

// Where there were many, each with the windows that say so. They only begin and
// end where something is noted.
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

// Its failures, and the time from the first to the last.
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

}  // namespace

std::vector<Incident> IncidentsIn(const ReportTotals& totals,
                                  const Names& names, Unit unit) {
  std::map<std::string, Moments> by_cause;
  for (const auto& [key, moment] : totals.moments) {
    by_cause[names.NameOf(key.first)][key.second] += moment;
  }
  const std::int64_t whole =
      (totals.last - totals.first) / kMomentSeconds + kWindowMoments;
  std::vector<Incident> incidents;
  for (const auto& [cause, moments] : by_cause) {
    for (const Span& span : Busy(moments, whole)) {
      incidents.push_back(IncidentIn(cause, moments, span));
    }
  }
  std::ranges::stable_sort(
      incidents, std::greater(), [unit](const Incident& incident) {
        return std::tuple(AmountOf(incident.cost.lost, unit),
                          incident.cost.workloads);
      });
  if (incidents.size() > kMostIncidents) incidents.resize(kMostIncidents);
  return incidents;
}

}  // namespace mulligan::cli
