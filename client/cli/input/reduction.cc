#include "client/cli/input/reduction.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"
#include "client/cli/input/quick_reader.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;
using Health = PodSigns::Health;

// Pods per group that show how the work continued.
constexpr std::size_t kHandful = 10;

// Returns the earlier of two times, of which 0 means unknown.
std::int64_t Earlier(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return a + b;
  return std::min(a, b);
}

// Ranks, addresses, times and names differ between equal messages, so all words
// with a digit are equal.
void AppendWords(std::string_view text, std::string& words) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    bool has_digit = false;
    for (; end < text.size() &&
           absl::ascii_isalnum(static_cast<unsigned char>(text[end]));
         ++end) {
      has_digit |= absl::ascii_isdigit(static_cast<unsigned char>(text[end]));
    }
    if (has_digit) words.push_back('#');
    if (!has_digit) words.append(text.substr(at, end - at));
    if (end < text.size()) words.push_back(text[end]);
    at = end + 1;
  }
  words.push_back('\n');
}

// Containers that ended with an error.
struct Ends {
  bool failed = false;
  std::int64_t first = 0;
  std::string words;
};

void AddEnd(const std::string& name, const core::ContainerState& state,
            Ends& ends) {
  if (state.has_waiting()) AppendWords(state.waiting().reason(), ends.words);
  const core::ContainerStateTerminated& run = state.terminated();
  if (!state.has_terminated() || run.exit_code() == 0) return;
  ends.failed = true;
  ends.first = Earlier(ends.first, run.finished_at().seconds());
  absl::StrAppend(&ends.words, name, " ", run.exit_code(), " ", run.reason(),
                  " ");
  AppendWords(run.message(), ends.words);
}

Ends EndsOf(const core::PodStatus& pod) {
  Ends ends;
  for (const auto* statuses :
       {&pod.init_container_statuses(), &pod.container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      AddEnd(status.name(), status.state(), ends);
      AddEnd(status.name(), status.last_state(), ends);
    }
  }
  return ends;
}

Health HealthOf(const std::string& phase) {
  if (phase == "Running") return Health::kRunning;
  if (phase == "Succeeded") return Health::kSucceeded;
  return Health::kPending;
}

// Selects pods in the order of ChoosePods.
class Selection {
 public:
  Selection(const std::vector<PodSigns>& pods, std::size_t most)
      : pods_(pods), most_(most), taken_(pods.size(), false) {
    for (std::size_t i = 0; i < pods.size(); ++i) {
      (pods[i].health == Health::kBroken ? broken_ : healthy_).push_back(i);
    }
    SplitAttempts();
    std::ranges::stable_sort(healthy_, std::greater<>(),
                             [&](std::size_t i) { return pods_[i].created; });
  }

  std::vector<std::size_t> Choose() {
    Take(broken_, 0, std::min(most_ / 2, newest_));
    TakeFirst(most_ / 4, [&](std::size_t i) { return pods_[i].words; });
    TakeFirst(most_ / 16, [&](std::size_t i) { return pods_[i].node; });
    TakeFirst(most_ / 16, [&](std::size_t i) { return attempt_[i]; });
    Take(broken_, newest_ - std::min(newest_, kHandful), newest_);
    TakeHealthy();
    Take(broken_, 0, broken_.size());
    Take(healthy_, 0, healthy_.size());
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) chosen.push_back(i);
    }
    return chosen;
  }

 private:
  // Sorts the broken pods: the newest attempt first, each by time.
  void SplitAttempts() {
    std::ranges::stable_sort(broken_, {},
                             [&](std::size_t i) { return pods_[i].created; });
    attempt_.resize(pods_.size(), 0);
    std::size_t attempt = 1;
    std::int64_t end = 0;
    for (const std::size_t i : broken_) {
      if (end > 0 && pods_[i].created >= end) ++attempt;
      attempt_[i] = attempt;
      end = std::max(end, pods_[i].ended);
    }
    std::ranges::stable_sort(broken_, [&](std::size_t a, std::size_t b) {
      if (attempt_[a] != attempt_[b]) return attempt_[a] > attempt_[b];
      const bool known = pods_[a].ended > 0;
      if (known != (pods_[b].ended > 0)) return known;
      return pods_[a].ended < pods_[b].ended;
    });
    newest_ = static_cast<std::size_t>(std::ranges::count_if(
        broken_, [&](std::size_t i) { return attempt_[i] == attempt; }));
  }

  void TakeOne(std::size_t pod) {
    if (count_ >= most_ || taken_[pod]) return;
    taken_[pod] = true;
    ++count_;
  }

  void Take(const std::vector<std::size_t>& pods, std::size_t from,
            std::size_t to) {
    for (; from < to; ++from) TakeOne(pods[from]);
  }

  // Takes the first broken pod of each kind that is not yet represented.
  void TakeFirst(std::size_t most, const auto& kind_of) {
    std::unordered_set<std::size_t> kinds = {0};
    for (const std::size_t i : broken_) {
      if (taken_[i]) kinds.insert(kind_of(i));
    }
    for (const std::size_t i : broken_) {
      if (most == 0) return;
      if (!kinds.insert(kind_of(i)).second) continue;
      TakeOne(i);
      --most;
    }
  }

  void TakeHealthy() {
    for (const Health health :
         {Health::kPending, Health::kRunning, Health::kSucceeded}) {
      std::size_t left = kHandful;
      for (const std::size_t i : healthy_) {
        if (left == 0) break;
        if (pods_[i].health != health) continue;
        TakeOne(i);
        --left;
      }
    }
  }

  const std::vector<PodSigns>& pods_;
  const std::size_t most_;
  std::vector<bool> taken_;
  std::size_t count_ = 0;
  std::vector<std::size_t> broken_;
  std::vector<std::size_t> healthy_;
  // Of each pod; 0 if it is not broken.
  std::vector<std::size_t> attempt_;
  // Number of pods in `broken_` that are of the newest attempt.
  std::size_t newest_ = 0;
};

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

PodSigns SignsOf(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  PodSigns signs;
  Ends ends = EndsOf(status);
  signs.created = pod.metadata().creation_timestamp().seconds();
  const std::int64_t deleted = pod.metadata().deletion_timestamp().seconds();
  if (status.phase() != "Failed" && deleted == 0 && !ends.failed) {
    signs.health = HealthOf(status.phase());
    return signs;
  }
  absl::StrAppend(&ends.words, status.phase(), " ", status.reason(), " ");
  AppendWords(status.message(), ends.words);
  signs.ended = Earlier(ends.first, deleted);
  std::int64_t changed = 0;
  for (const core::PodCondition& condition : status.conditions()) {
    const std::int64_t at = condition.last_transition_time().seconds();
    changed = std::max(changed, at);
    if (condition.type() != "DisruptionTarget") continue;
    signs.ended = Earlier(signs.ended, at);
    absl::StrAppend(&ends.words, condition.reason());
  }
  if (signs.ended == 0) signs.ended = changed;
  signs.words = std::hash<std::string>()(ends.words);
  if (const std::string& node = pod.spec().node_name(); !node.empty()) {
    signs.node = std::hash<std::string>()(node);
  }
  return signs;
}

std::vector<std::size_t> ChoosePods(const std::vector<PodSigns>& pods,
                                    std::size_t most) {
  if (pods.size() > most) return Selection(pods, most).Choose();
  std::vector<std::size_t> all(pods.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void CountOmitted(const PodSigns& pod, v1::PodCounts& counts) {
  switch (pod.health) {
    case Health::kBroken:
      return counts.set_failed(counts.failed() + 1);
    case Health::kPending:
      return counts.set_pending(counts.pending() + 1);
    case Health::kRunning:
      return counts.set_running(counts.running() + 1);
    case Health::kSucceeded:
      return counts.set_succeeded(counts.succeeded() + 1);
  }
}

void AddOmitted(const v1::PodCounts& added, v1::PodCounts& counts) {
  counts.set_failed(counts.failed() + added.failed());
  counts.set_pending(counts.pending() + added.pending());
  counts.set_running(counts.running() + added.running());
  counts.set_succeeded(counts.succeeded() + added.succeeded());
}

void ReducePods(v1::FailureReport& report, std::size_t most,
                std::size_t most_bytes) {
  std::vector<PodSigns> signs;
  std::vector<std::size_t> bytes;
  for (const core::Pod& pod : report.pods()) {
    signs.push_back(SignsOf(pod));
    bytes.push_back(pod.ByteSizeLong());
  }
  std::vector<std::size_t> chosen = ChoosePods(signs, most);
  while (chosen.size() > 1) {
    std::size_t sum = 0;
    for (const std::size_t i : chosen) sum += bytes[i];
    if (sum <= most_bytes) break;
    // Large pods may come first, so each round takes somewhat less.
    const double share =
        static_cast<double>(most_bytes) / static_cast<double>(sum);
    chosen = ChoosePods(
        signs, static_cast<std::size_t>(static_cast<double>(chosen.size()) *
                                        share * 0.95));
  }
  if (chosen.size() == signs.size()) return;
  auto& pods = *report.mutable_pods();
  int kept = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const auto next = static_cast<std::size_t>(kept);
    if (next < chosen.size() && chosen[next] == i) {
      pods.SwapElements(kept++, static_cast<int>(i));
    } else {
      CountOmitted(signs[i], *report.mutable_omitted_pods());
    }
  }
  pods.DeleteSubrange(kept, pods.size() - kept);
}

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
