#include "policy/budget/fleet.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/demystify/causes.h"

namespace mulligan {
namespace {

constexpr absl::Duration kLongestIncident = absl::Hours(1);
// How often a canary may test whether an incident is over.
constexpr absl::Duration kCanaryEvery = absl::Minutes(5);
// The highest chance of a bad node's failures in a fleet of good ones.
constexpr double kChance = 0.05;
// An incident exceeds the usual number of failures and a share of the fleet.
constexpr double kTimesUsual = 3;
constexpr double kMinFleetShare = 0.005;

// Returns for example "31 of the 40 workloads that failed in the last 10m".
std::string Counted(std::int64_t some, const v1::RecentFailures& recent) {
  return absl::StrFormat("%d of the %d workloads that failed in the last %s",
                         std::min<std::int64_t>(some, recent.failed()),
                         recent.failed(),
                         absl::FormatDuration(ToDuration(recent.window())));
}

// Returns how many workloads of a group are evidence against its node.
std::int64_t AgainstNode(const v1::FailureGroup& group) {
  if (group.node().empty() ||
      !HasHistory(group.cause(), kOfNode | kOfJob | kShared)) {
    return 0;
  }
  return HasHistory(group.cause(), kRepeats) ? 1 : group.workloads();
}

// Returns the chance that at least `on_node` of `total` failures, spread evenly
// over `nodes`, are on a given node. This is the tail of a binomial
// distribution by Stirling's formula, with its terms bounded by a geometric
// series. Accurate to a few per cent, in constant time.
double ChanceOf(std::int64_t on_node, std::int64_t total, std::int64_t nodes) {
  const auto n = static_cast<double>(total);
  const auto k = static_cast<double>(on_node);
  const double even = 1.0 / static_cast<double>(nodes);
  const double seen = k / n;
  if (seen <= even) return 1;
  if (on_node == total) return std::pow(even, k);
  const double divergence = seen * std::log(seen / even) +
                            (1 - seen) * std::log((1 - seen) / (1 - even));
  constexpr double kTwoPi = 6.283185307179586;
  const double term =
      std::exp(-n * divergence) / std::sqrt(kTwoPi * k * (1 - seen));
  const double ratio = (n - k) / (k + 1) * even / (1 - even);
  return std::min(1.0, term / (1 - ratio));
}

std::string BadNode(const CompiledDerivation& thresholds,
                    const v1::RecentFailures& recent, const Failure& failure) {
  const std::string& node = failure.culprit.node;
  if (thresholds.bad_node_workloads == 0 || node.empty() ||
      !HasHistory(failure.cause, kOfNode | kOfJob | kShared)) {
    return {};
  }
  std::set<std::string_view> named{node};
  std::int64_t on_node = 0;
  std::int64_t total = 0;
  for (const v1::FailureGroup& group : recent.groups()) {
    const std::int64_t against = AgainstNode(group);
    if (against == 0) continue;
    named.insert(group.node());
    total += against;
    if (group.node() == node) on_node += against;
  }
  const std::int64_t nodes = std::max<std::int64_t>(
      recent.nodes(), static_cast<std::int64_t>(named.size()));
  if (on_node < thresholds.bad_node_workloads || nodes < 2 ||
      ChanceOf(on_node, total, nodes) * static_cast<double>(nodes) > kChance) {
    return {};
  }
  return absl::StrCat(Counted(on_node, recent), " are on node ", node);
}

// Workloads of the digest that failed like the current one.
struct Alike {
  std::int64_t workloads = 0;
  double usual = 0;

  void Add(const v1::FailureGroup& group) {
    workloads += group.workloads();
    usual += group.usual();
  }
};

const std::string& ZoneOf(const v1::RecentFailures& recent,
                          const std::string& node) {
  if (recent.zone().empty() && !node.empty()) {
    for (const v1::FailureGroup& group : recent.groups()) {
      if (group.node() == node && !group.zone().empty()) return group.zone();
    }
  }
  return recent.zone();
}

// Counts of the digest, grouped by what an incident may share.
struct Shared {
  std::int64_t workloads = 0;  // that failed of a shared cause
  Alike zone;                  // of these in the same zone
  Alike image;                 // with the same image and cause
  Alike cause;                 // with the same cause
};

Shared CountShared(const v1::RecentFailures& recent, const Failure& failure,
                   const std::string& zone) {
  Shared shared;
  for (const v1::FailureGroup& group : recent.groups()) {
    if (!HasHistory(group.cause(), kShared)) continue;
    shared.workloads += group.workloads();
    if (!zone.empty() && group.zone() == zone) shared.zone.Add(group);
    if (group.cause() != failure.cause) continue;
    shared.cause.Add(group);
    if (!recent.image().empty() && group.image() == recent.image()) {
      shared.image.Add(group);
    }
  }
  return shared;
}

bool IsIncident(const CompiledDerivation& thresholds,
                const v1::RecentFailures& recent, const Shared& shared,
                const Alike& alike) {
  const auto count = static_cast<double>(alike.workloads);
  return alike.workloads >= thresholds.incident_workloads &&
         count >= thresholds.incident_share *
                      static_cast<double>(shared.workloads) &&
         count >= kTimesUsual * alike.usual &&
         count >= kMinFleetShare * recent.running();
}

Turn TurnOf(const v1::RecentFailures& recent, const Alike& alike,
            const Asking& asking) {
  if (recent.recovered() > 0) return Turn::kOver;
  if (recent.canaries() > 0) return Turn::kWait;
  const auto round = static_cast<std::uint64_t>(
      absl::ToUnixSeconds(asking.now) / absl::ToInt64Seconds(kCanaryEvery));
  const std::uint64_t draw =
      StableHash().Add(asking.identity).Add(round).value();
  return draw % static_cast<std::uint64_t>(alike.workloads) == 0 ? Turn::kCanary
                                                                 : Turn::kWait;
}

FleetFinding IncidentFinding(const CompiledDerivation& thresholds,
                             const v1::RecentFailures& recent,
                             const Failure& failure, const Asking& asking) {
  if (thresholds.incident_workloads == 0 ||
      !HasHistory(failure.cause, kShared) ||
      ToDuration(recent.window()) > kLongestIncident) {
    return {};
  }
  const std::string& zone = ZoneOf(recent, failure.culprit.node);
  const Shared shared = CountShared(recent, failure, zone);
  const std::string& cause = v1::Cause_Name(failure.cause);
  // The narrowest description first. A zone combines several causes, because
  // its failures look different to each job.
  struct Reading {
    const Alike& alike;
    std::string text;
  };
  const Reading readings[] = {
      {shared.image,
       absl::StrCat(" met ", cause, " with image ", recent.image())},
      {shared.zone, absl::StrCat(" are in zone ", zone)},
      {shared.cause, absl::StrCat(" met ", cause)},
  };
  for (const Reading& reading : readings) {
    if (!IsIncident(thresholds, recent, shared, reading.alike)) continue;
    return {
        {v1::INCIDENT, Counted(reading.alike.workloads, recent) + reading.text},
        TurnOf(recent, reading.alike, asking)};
  }
  return {};
}

// Returns how many records of this workload have the derived cause INCIDENT.
std::int32_t IncidentsIn(const v1::BudgetLedger& ledger) {
  return static_cast<std::int32_t>(std::ranges::count_if(
      ledger.history(), [](const v1::AttemptRecord& record) {
        return record.derived_cause() == v1::INCIDENT;
      }));
}

}  // namespace

FleetFinding DeriveFromFleet(
    const CompiledDerivation& thresholds,
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    const v1::BudgetLedger& ledger, const Failure& failure,
    const Asking& asking) {
  if (failure.domain == v1::Diagnosis::DISRUPTION ||
      failure.domain == v1::Diagnosis::NONE) {
    return {};
  }
  for (const v1::RecentFailures& digest : recent) {
    if (std::string why = BadNode(thresholds, digest, failure); !why.empty()) {
      return {{v1::BAD_NODE, std::move(why)}};
    }
  }
  if (IncidentsIn(ledger) >= thresholds.incident_retries) return {};
  for (const v1::RecentFailures& digest : recent) {
    FleetFinding finding = IncidentFinding(thresholds, digest, failure, asking);
    if (finding.derived.cause == v1::INCIDENT) return finding;
  }
  return {};
}

}  // namespace mulligan
