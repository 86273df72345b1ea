#include "client/cli/input/reduction.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"
#include "client/cli/input/quick_reader.h"

namespace mulligan::cli {
namespace {

using kubernetes::core::v1::Pod;

constexpr std::string_view kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";

// Pods of one list that belong together; `signs` is parallel to `items`.
struct Family {
  std::vector<std::size_t> items;
  std::vector<PodSigns> signs;
};

// Empty if the pod has no owner.
std::string FamilyOf(const Pod& pod) {
  const auto& meta = pod.metadata();
  if (const auto set = meta.labels().find(std::string(kJobSetLabel));
      set != meta.labels().end()) {
    return absl::StrCat(meta.namespace_(), "/", set->second);
  }
  for (const auto& owner : meta.owner_references()) {
    if (owner.controller()) return owner.uid();
  }
  return "";
}

// Pods that QuickReader cannot read are in no family, so they stay.
std::map<std::string, Family> FamiliesOf(
    const std::vector<std::string_view>& items, bool of_pods) {
  std::map<std::string, Family> families;
  QuickReader reader;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view kind = JsonMemberOf(items[i], "kind");
    if (kind != "\"Pod\"" && !(of_pods && kind == "null")) continue;
    Pod pod;
    if (!reader.Read(items[i], pod)) continue;
    const std::string name = FamilyOf(pod);
    if (name.empty()) continue;
    Family& family = families[name];
    family.items.push_back(i);
    family.signs.push_back(SignsOf(pod));
  }
  return families;
}

using kubernetes::core::v1::Event;

std::int64_t LastSeen(const Event& event) {
  return std::max({event.first_timestamp().seconds(),
                   event.last_timestamp().seconds(),
                   event.event_time().seconds(),
                   event.series().last_observed_time().seconds(),
                   event.metadata().creation_timestamp().seconds()});
}

// Lower ranks are kept first.
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

ListReduction::ListReduction(const std::vector<std::string_view>& items,
                             std::string_view list_kind, std::size_t most) {
  if (items.size() <= most) return;
  for (const auto& [name, family] : FamiliesOf(items, list_kind == "PodList")) {
    if (family.items.size() <= most) continue;
    dropped_.resize(items.size(), false);
    const std::vector<std::size_t> chosen = ChoosePods(family.signs, most);
    v1::PodCounts& counts = counts_[family.items[chosen.front()]];
    std::size_t next = 0;
    for (std::size_t i = 0; i < family.items.size(); ++i) {
      if (next < chosen.size() && chosen[next] == i) {
        ++next;
      } else {
        dropped_[family.items[i]] = true;
        CountOmitted(family.signs[i], counts);
      }
    }
  }
}

const v1::PodCounts* ListReduction::Find(std::size_t item) const {
  const auto found = counts_.find(item);
  return found == counts_.end() ? nullptr : &found->second;
}

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
