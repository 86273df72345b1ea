#include "client/cli/input/event_reduction.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace mulligan::cli {
namespace {

using kubernetes::core::v1::Event;

std::int64_t LastSeen(const Event& event) {
  return std::max({event.first_timestamp().seconds(),
                   event.last_timestamp().seconds(),
                   event.event_time().seconds(),
                   event.series().last_observed_time().seconds(),
                   event.metadata().creation_timestamp().seconds()});
}

// Less comes first.
using Rank = std::tuple<bool, bool, std::int64_t>;

std::vector<Rank> RanksOf(const v1::FailureReport& report) {
  std::unordered_set<std::string_view> names;
  for (const auto& pod : report.pods()) names.insert(pod.metadata().name());
  std::vector<Rank> ranks;
  for (const Event& event : report.events()) {
    const auto& about = event.involved_object();
    const bool is_gone =
        about.kind() == "Pod" && names.count(about.name()) == 0;
    ranks.emplace_back(is_gone, event.type() != "Warning", -LastSeen(event));
  }
  return ranks;
}

}  // namespace

int ReduceEvents(v1::FailureReport& report, std::size_t most,
                 std::size_t most_bytes) {
  auto& events = *report.mutable_events();
  std::size_t bytes = 0;
  for (const Event& event : events) bytes += event.ByteSizeLong();
  if (static_cast<std::size_t>(events.size()) <= most && bytes <= most_bytes) {
    return 0;
  }
  const std::vector<Rank> ranks = RanksOf(report);
  std::vector<int> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](int i) { return ranks[static_cast<std::size_t>(i)]; });
  std::size_t kept = 0;
  for (bytes = 0; kept < order.size() && kept < most; ++kept) {
    bytes += events[order[kept]].ByteSizeLong();
    if (bytes > most_bytes) break;
  }
  order.resize(kept);
  std::ranges::sort(order);
  int next = 0;
  for (const int i : order) events.SwapElements(next++, i);
  const int left_out = events.size() - next;
  events.DeleteSubrange(next, left_out);
  return left_out;
}

}  // namespace mulligan::cli
