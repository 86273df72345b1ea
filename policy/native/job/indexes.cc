#include "policy/native/job/indexes.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/native/go_text.h"
#include "policy/native/job/failures.h"

namespace mulligan::job {
namespace {

// Returns the part before `separator` and sets `text` to the rest.
std::string_view TakeUntil(char separator, std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// Returns the indexes listed in the status and those of uncounted pods that
// satisfy `fits`.
template <typename Predicate>
IndexSet WithNewPods(const std::string& listed, const Pods& pods,
                     std::int64_t completions, Predicate fits) {
  IndexSet indexes = IndexSet::Parse(listed, completions);
  for (const Pod* pod : pods) {
    const auto index = CompletionIndex(*pod, completions);
    if (index.has_value() && HasTrackingFinalizer(*pod) && fits(*pod)) {
      indexes.Add(*index, *index);
    }
  }
  return indexes;
}

bool IsLaterFailure(const Pod& pod, const Pod& than, const Gates& gates) {
  return IndexAbsoluteFailureCount(pod) >= IndexAbsoluteFailureCount(than) &&
         FinishTime(pod, gates) >= FinishTime(than, gates);
}

std::map<std::int64_t, const Pod*> PodsAwaitingReplacement(
    const JobSpec& spec, const Pods& pods, const Indexes& indexes,
    const Gates& gates) {
  IndexSet settled = indexes.succeeded;
  settled.Add(indexes.failed);
  for (const Pod* pod : pods) {
    const auto index = CompletionIndex(*pod, spec.completions());
    if (index.has_value() && IsPodActive(*pod)) settled.Add(*index, *index);
  }
  std::map<std::int64_t, const Pod*> latest;
  for (const Pod* pod : pods) {
    const auto index = CompletionIndex(*pod, spec.completions());
    if (!index.has_value() || settled.Contains(*index) ||
        !HasTrackingFinalizer(*pod) || !IsPodFailed(*pod, spec, gates)) {
      continue;
    }
    const auto [known, is_first] = latest.emplace(*index, pod);
    if (!is_first && IsLaterFailure(*pod, *known->second, gates)) {
      known->second = pod;
    }
  }
  return latest;
}

bool IsMet(const kubernetes::batch::v1::SuccessPolicyRule& rule,
           std::int64_t completions, const IndexSet& succeeded) {
  if (!rule.has_succeeded_indexes()) {
    return rule.has_succeeded_count() &&
           succeeded.total() >= rule.succeeded_count();
  }
  const IndexSet required =
      IndexSet::Parse(rule.succeeded_indexes(), completions);
  if (required.empty()) return false;
  const std::int64_t met = required.CountIn(succeeded);
  return met == required.total() ||
         (rule.has_succeeded_count() && met >= rule.succeeded_count());
}

std::string NotIncreasing(std::int64_t previous, std::int64_t current) {
  return absl::StrFormat("non-increasing order, previous: %d, current: %d",
                         previous, current);
}

}  // namespace

IndexSet IndexSet::Parse(std::string_view text, std::int64_t completions) {
  IndexSet set;
  while (!text.empty()) {
    std::string_view part = TakeUntil(',', text);
    const bool is_range = part.find('-') != part.npos;
    const auto first = GoInteger(TakeUntil('-', part));
    if (!first.has_value()) continue;
    if (*first >= completions) break;
    const auto last = is_range ? GoInteger(TakeUntil('-', part)) : first;
    if (last.has_value()) set.Add(*first, std::min(*last, completions - 1));
  }
  return set;
}

std::int64_t IndexSet::total() const {
  std::int64_t count = 0;
  for (const auto& [first, last] : intervals_) count += last - first + 1;
  return count;
}

bool IndexSet::Contains(std::int64_t index) const {
  const auto after = intervals_.upper_bound(index);
  return after != intervals_.begin() && std::prev(after)->second >= index;
}

void IndexSet::Add(std::int64_t first, std::int64_t last) {
  if (last < first) return;
  auto next = intervals_.upper_bound(first);
  if (next != intervals_.begin() && std::prev(next)->second >= first - 1) {
    --next;
    first = next->first;
  }
  while (next != intervals_.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = intervals_.erase(next);
  }
  intervals_.emplace(first, last);
}

void IndexSet::Add(const IndexSet& other) {
  for (const auto& [first, last] : other.intervals_) Add(first, last);
}

std::int64_t IndexSet::CountIn(const IndexSet& other) const {
  IndexSet either = *this;
  either.Add(other);
  return total() + other.total() - either.total();
}

std::string CountIndexes(const std::string& text, std::int64_t completions,
                         std::int64_t& total) {
  std::int64_t previous = -1;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> ends = absl::StrSplit(part, '-');
    if (ends.size() > 2) {
      return absl::StrFormat(
          "the fragment %s violates the requirement that an index interval can "
          "have at most two parts separated by '-'",
          QuotedValue(part));
    }
    std::vector<std::int64_t> indexes;
    for (const std::string& end : ends) {
      const std::optional<std::int64_t> index = GoInteger(end);
      if (!index.has_value()) {
        return absl::StrFormat("cannot convert string to integer for index: %s",
                               QuotedValue(end));
      }
      if (*index >= completions) {
        return absl::StrFormat("too large index: %s", QuotedValue(end));
      }
      indexes.push_back(*index);
    }
    const std::int64_t first = indexes.front();
    const std::int64_t last = indexes.back();
    if (ends.size() == 2 && first >= last) return NotIncreasing(first, last);
    if (previous >= first) return NotIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return "";
}

bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  if (!IsPodFailed(pod, spec, gates)) return false;
  const PodFailureMatch match = MatchPodFailurePolicy(pod, spec, gates);
  if (match.action == "FailIndex") return true;
  return match.counts && spec.has_backoff_limit_per_index() &&
         IndexFailureCount(pod) >= spec.backoff_limit_per_index();
}

Indexes IndexesOf(const Job& job, const Pods& pods, const Gates& gates) {
  Indexes indexes;
  const JobSpec& spec = job.spec();
  if (!IsIndexed(spec)) return indexes;
  indexes.succeeded =
      WithNewPods(job.status().completed_indexes(), pods, spec.completions(),
                  [](const Pod& pod) { return HasPhase(pod, "Succeeded"); });
  if (!HasBackoffLimitPerIndex(spec, gates)) return indexes;
  indexes.failed =
      WithNewPods(job.status().failed_indexes(), pods, spec.completions(),
                  [&](const Pod& pod) { return FailsIndex(pod, spec, gates); });
  indexes.awaiting_replacement =
      PodsAwaitingReplacement(spec, pods, indexes, gates);
  return indexes;
}

std::optional<int> MatchSuccessPolicy(const SuccessPolicy& policy,
                                      std::int64_t completions,
                                      const IndexSet& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  for (int i = 0; i < policy.rules_size(); ++i) {
    if (IsMet(policy.rules(i), completions, succeeded)) return i;
  }
  return std::nullopt;
}

}  // namespace mulligan::job
