#include "client/cli/report/totals.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"

namespace mulligan::cli {
namespace {

// All failures of a workload, each once, oldest first, and how it ended.
struct Course {
  std::vector<Entry> failures;
  // Of the attempt that completed; empty: none did.
  Spent completed;
  End end = End::kNotKnown;
};

v1::Decision::Action ActionOf(const Entry& entry, Decider side) {
  return static_cast<v1::Decision::Action>(
      entry.actions[static_cast<std::size_t>(side)]);
}

std::uint32_t NumberOf(const Entry& entry, By by) {
  return entry.names[static_cast<std::size_t>(by)];
}

bool GivesUp(v1::Decision::Action action) {
  return action == v1::Decision::FAIL ||
         action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
}

// A failure that was told again, to another replica or with more evidence,
// counts as it was answered last. `entries` are in the order of the answers.
Course CourseOf(absl::Span<const KeptEntry> entries) {
  Course course;
  absl::flat_hash_map<std::uint64_t, std::size_t> told;
  const Entry* completed = nullptr;
  for (const KeptEntry& kept : entries) {
    if (kept.entry.completed) {
      completed = &kept.entry;
      continue;
    }
    const auto [known, is_new] =
        told.try_emplace(kept.entry.failure, course.failures.size());
    if (is_new) {
      course.failures.push_back(kept.entry);
    } else {
      course.failures[known->second] = kept.entry;
    }
  }
  if (course.failures.empty()) return course;
  const Entry& last = course.failures.back();
  const v1::Decision::Action action = ActionOf(last, Decider::kRecorded);
  if (completed != nullptr && completed->observed >= last.observed) {
    course.end = End::kCompleted;
    course.completed = completed->spent;
  } else if (action == v1::Decision::FAIL) {
    course.end = End::kGivenUp;
  } else if (action == v1::Decision::WAIT_FOR_SPEC_UPDATE) {
    course.end = End::kWaitsForAuthor;
  }
  return course;
}

// Whether the retry of this failure, which was made, could only end as it did.
bool IsInVain(const Course& course, const Entry& failure) {
  if (failure.lasting) return true;
  const bool given_up =
      course.end == End::kGivenUp || course.end == End::kWaitsForAuthor;
  return given_up && NumberOf(failure, By::kCause) ==
                         NumberOf(course.failures.back(), By::kCause);
}

// Whether the operator's own rule is known for each failure.
bool IsComparable(const Course& course) {
  return std::ranges::all_of(course.failures, [](const Entry& failure) {
    return ActionOf(failure, Decider::kNative) !=
           v1::Decision::ACTION_UNSPECIFIED;
  });
}

// Follows one side through the course until it gives up: what comes after it
// would not have seen. Whether it did.
bool AddVerdicts(const Course& course, Decider side, Verdicts& verdicts) {
  bool any_vain = false;
  for (std::size_t i = 0; i < course.failures.size(); ++i) {
    const Entry& failure = course.failures[i];
    const v1::Decision::Action action = ActionOf(failure, side);
    if (GivesUp(action)) {
      // A person may have resumed what was given up in fact.
      const bool is_last = i + 1 == course.failures.size();
      if (side == Decider::kRecorded && !is_last) continue;
      if (failure.by_platform) verdicts.given_up += {1, 1, failure.spent};
      return true;
    } else if (action == v1::Decision::RETRY) {
      const bool was_made = i + 1 < course.failures.size();
      // What became of a retry that nobody made is known of a lasting fault
      // alone.
      const bool known_in_vain =
          was_made ? IsInVain(course, failure)
                   : failure.lasting &&
                         GivesUp(ActionOf(failure, Decider::kRecorded));
      if (!known_in_vain) continue;
      const Cost cost = {
          1, any_vain ? 0 : 1,
          was_made ? course.failures[i + 1].spent : failure.spent};
      verdicts.in_vain += cost;
      if (!was_made) verdicts.assumed += cost;
      any_vain = true;
    }
  }
  return false;
}

// Counts a workload once for each key that it has.
template <typename Key, typename Value>
class OncePerWorkload {
 public:
  explicit OncePerWorkload(absl::flat_hash_map<Key, Value>& all) : all_(all) {}

  Value& At(const Key& key) { return all_[key]; }
  // 1 where this is the first of the workload.
  Count IsFirst(const Key& key) { return seen_.insert(key).second ? 1 : 0; }

 private:
  absl::flat_hash_map<Key, Value>& all_;
  absl::flat_hash_set<Key> seen_;
};

void AddBy(const Course& course, ReportTotals& totals) {
  for (std::size_t by = 0; by < kBys; ++by) {
    OncePerWorkload once(totals.by[by]);
    for (const Entry& failure : course.failures) {
      const ReportTotals::Number name = failure.names[by];
      once.At(name) += {1, once.IsFirst(name), failure.spent};
    }
  }
}

void AddTimes(const Course& course, ReportTotals& totals) {
  OncePerWorkload moments(totals.moments);
  for (const Entry& failure : course.failures) {
    const std::int64_t observed = WholeSeconds(failure.observed);
    totals.first = std::min(totals.first, observed);
    totals.last = std::max(totals.last, observed);
    const Day day = observed - observed % kDaySeconds;
    totals.days[{day, NumberOf(failure, By::kDomain)}] += failure.spent;
    if (!failure.by_platform) continue;
    const ReportTotals::Number node = NumberOf(failure, By::kNode);
    if (node != Names::kNone) ++totals.nodes[{node, day}];
    const std::pair moment = {NumberOf(failure, By::kCause),
                              observed / kMomentSeconds};
    moments.At(moment) += {1, moments.IsFirst(moment), failure.spent};
  }
}

void AddMoney(const Course& course, ReportTotals& totals) {
  OncePerWorkload flows(totals.flows);
  for (const Entry& failure : course.failures) {
    const ReportTotals::Number budget = NumberOf(failure, By::kBudget);
    const std::pair flow = {NumberOf(failure, By::kDomain), budget};
    flows.At(flow)[static_cast<std::size_t>(course.end)] +=
        {1, flows.IsFirst(flow), failure.spent};
    if (budget == Names::kNone) continue;
    BudgetCost& cost = totals.budgets[budget];
    cost.charged += failure.units;
    cost.lost += failure.spent;
    if (failure.exhausted) ++cost.ended;
  }
}

void AddWorkload(absl::Span<const KeptEntry> entries, ReportTotals& totals) {
  const Course course = CourseOf(entries);
  if (course.failures.empty()) return;
  Cost all = {static_cast<Count>(course.failures.size()), 1, {}};
  for (const Entry& failure : course.failures) {
    all.lost += failure.spent;
    if (!failure.spent.any()) ++totals.without_times;
  }
  totals.all += all;
  totals.ends[static_cast<std::size_t>(course.end)] += all;
  AddBy(course, totals);
  AddTimes(course, totals);
  AddMoney(course, totals);
  AddVerdicts(course, Decider::kRecorded, totals.done);
  if (!IsComparable(course)) return;
  totals.comparable += all;
  for (std::size_t side = 0; side < kDeciders; ++side) {
    const bool gave_up =
        AddVerdicts(course, static_cast<Decider>(side), totals.verdicts[side]);
    if (gave_up && static_cast<Decider>(side) == Decider::kNative &&
        course.end == End::kCompleted) {
      totals.saved += {all.failures, 1, course.completed};
    }
  }
}

template <typename Map>
void AddAll(const Map& from, Map& to) {
  for (const auto& [key, value] : from) to[key] += value;
}

}  // namespace

void ReportTotals::Merge(const ReportTotals& other) {
  all += other.all;
  without_times += other.without_times;
  first = std::min(first, other.first);
  last = std::max(last, other.last);
  for (std::size_t i = 0; i < kBys; ++i) AddAll(other.by[i], by[i]);
  done += other.done;
  for (std::size_t i = 0; i < kDeciders; ++i) verdicts[i] += other.verdicts[i];
  comparable += other.comparable;
  saved += other.saved;
  for (std::size_t i = 0; i < kEnds; ++i) ends[i] += other.ends[i];
  for (const auto& [key, costs] : other.flows) {
    for (std::size_t i = 0; i < kEnds; ++i) flows[key][i] += costs[i];
  }
  for (const auto& [key, cost] : other.budgets) {
    budgets[key].charged += cost.charged;
    budgets[key].ended += cost.ended;
    budgets[key].lost += cost.lost;
  }
  AddAll(other.days, days);
  AddAll(other.nodes, nodes);
  AddAll(other.moments, moments);
}

void AddWorkloads(std::vector<KeptEntry> entries, ReportTotals& totals) {
  // Told at the same time by the failure: the order of threads and files must
  // not show.
  const auto order = [](const KeptEntry& kept) {
    const Entry& entry = kept.entry;
    return std::tie(entry.workload, entry.observed, entry.decided,
                    entry.failure);
  };
  std::ranges::sort(entries, [&](const KeptEntry& a, const KeptEntry& b) {
    return order(a) < order(b);
  });
  for (auto from = entries.begin(); from != entries.end();) {
    const auto to = std::find_if(from, entries.end(), [&](const auto& kept) {
      return kept.entry.workload != from->entry.workload;
    });
    AddWorkload(
        absl::MakeConstSpan(&*from, static_cast<std::size_t>(to - from)),
        totals);
    from = to;
  }
}

}  // namespace mulligan::cli
