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
struct WorkloadHistory {
  std::vector<Entry> failures;
  // Lines about failures that were already reported.
  Count repeated = 0;
  // Of the attempt that completed; empty if none did.
  Spent completed;
  End end = End::kNotKnown;
};

v1::Decision::Action ActionOf(const Entry& entry, Decider side) {
  return static_cast<v1::Decision::Action>(AtKey(entry.actions, side));
}

bool GivesUp(v1::Decision::Action action) {
  return action == v1::Decision::FAIL ||
         action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
}

// Counts a failure that was reported again, to another replica or with more
// evidence, with its last answer. `entries` are in the order of the answers.
WorkloadHistory HistoryOf(absl::Span<const KeptEntry> entries) {
  WorkloadHistory history;
  absl::flat_hash_map<std::uint64_t, std::size_t> index_of;
  const Entry* completed = nullptr;
  for (const KeptEntry& kept : entries) {
    if (kept.entry.completed) {
      completed = &kept.entry;
      continue;
    }
    const auto [known, is_new] =
        index_of.try_emplace(kept.entry.failure, history.failures.size());
    if (is_new) {
      history.failures.push_back(kept.entry);
    } else {
      history.failures[known->second] = kept.entry;
      if (!kept.entry.separate) ++history.repeated;
    }
  }
  if (history.failures.empty()) return history;
  const Entry& last = history.failures.back();
  const v1::Decision::Action action = ActionOf(last, Decider::kRecorded);
  if (completed != nullptr && completed->observed >= last.observed) {
    history.end = End::kCompleted;
    history.completed = completed->spent;
  } else if (action == v1::Decision::FAIL) {
    history.end = End::kGivenUp;
  } else if (action == v1::Decision::WAIT_FOR_SPEC_UPDATE) {
    history.end = End::kWaitsForAuthor;
  }
  return history;
}

// Returns whether the operator's own rule is known for each failure.
bool IsComparable(const WorkloadHistory& history) {
  return std::ranges::all_of(history.failures, [](const Entry& failure) {
    return ActionOf(failure, Decider::kNative) !=
           v1::Decision::ACTION_UNSPECIFIED;
  });
}

// Returns the index of the failure at which a side gives up; the number of
// failures if it never does.
std::size_t StopOf(const WorkloadHistory& history, Decider side) {
  const auto gives_up = [side](const Entry& failure) {
    return GivesUp(ActionOf(failure, side));
  };
  // In fact, a person may have resumed work that was given up.
  if (side == Decider::kRecorded) {
    return history.failures.size() -
           (gives_up(history.failures.back()) ? 1 : 0);
  }
  return static_cast<std::size_t>(
      std::ranges::find_if(history.failures, gives_up) -
      history.failures.begin());
}

// Returns the index of the failure at which a side ends the retries of others;
// the number of failures if it never does.
std::size_t BrakeOf(const WorkloadHistory& history, Decider side) {
  if (side != Decider::kRecorded) return StopOf(history, side);
  return static_cast<std::size_t>(
      std::ranges::find_if(history.failures, &Entry::braked) -
      history.failures.begin());
}

// Returns what one side did with the history:
//
//   1. A retry is in vain if it had to fail like the attempt before it, or if
//      the work is finally given up for the same cause, by this side or else in
//      fact. So a side that never gives up wastes no less.
//   2. A retry that was not made, because the work had been given up in fact,
//   is
//      in vain only by the first condition, and its cost is assumed.
Verdicts VerdictsOf(const WorkloadHistory& history, const std::string& workload,
                    Decider side) {
  const std::vector<Entry>& failures = history.failures;
  const std::size_t stop = StopOf(history, side);
  const bool gave_up = stop < failures.size();
  const bool is_over = gave_up || history.end == End::kGivenUp ||
                       history.end == End::kWaitsForAuthor;
  const Entry& over = gave_up ? failures[stop] : failures.back();
  Verdicts verdicts;
  for (std::size_t i = 0; i < stop; ++i) {
    const Entry& failure = failures[i];
    if (ActionOf(failure, side) != v1::Decision::RETRY) continue;
    const bool was_made = i + 1 < failures.size();
    const bool same_again = is_over && AtKey(failure.names, By::kCause) ==
                                           AtKey(over.names, By::kCause);
    const bool in_vain =
        was_made
            ? failure.lasting || same_again
            : failure.lasting && GivesUp(ActionOf(failure, Decider::kRecorded));
    if (!in_vain) continue;
    verdicts.in_vain += {1, verdicts.in_vain.workloads == 0 ? 1 : 0,
                         was_made ? failures[i + 1].spent : failure.spent};
    if (!was_made) verdicts.assumed += {1, 1, failure.spent};
  }
  const auto note = [&](const Entry& at, const Spent& lost, Cost& cost,
                        Exhibits& examples) {
    cost = {1, 1, lost};
    examples.Add(
        {at.workload, workload, WholeSeconds(at.observed), lost, {}, {}});
  };
  const std::size_t operators_stop = StopOf(history, Decider::kNative);
  if (operators_stop < stop) {
    const Entry& at = failures[operators_stop];
    if (ActionOf(at, side) == v1::Decision::RETRY && !at.lasting) {
      note(at, at.spent, verdicts.tried_again, verdicts.tried_again_examples);
      if (!gave_up && history.end == End::kCompleted) {
        note(at, history.completed, verdicts.saved, verdicts.saved_examples);
      }
    }
  }
  const std::size_t brake = BrakeOf(history, side);
  if (brake + 1 < failures.size() && history.end != End::kCompleted) {
    Cost after = {0, 1, {}};
    for (std::size_t i = brake + 1; i < failures.size(); ++i) {
      after += {1, 0, failures[i].spent};
    }
    note(failures[brake], after.lost, verdicts.would_stop,
         verdicts.would_stop_examples);
    verdicts.would_stop = after;
  } else if (side == Decider::kRecorded && brake + 1 == failures.size() &&
             history.end != End::kCompleted) {
    Spent saved;
    for (int i = std::max(failures[brake].left, 1); i-- > 0;) {
      saved += failures[brake].spent;
    }
    note(failures[brake], saved, verdicts.stopped, verdicts.stopped_examples);
  }
  if (!gave_up) return verdicts;
  const Entry& last = failures[stop];
  if (last.by_platform) {
    note(last, last.spent, verdicts.given_up, verdicts.given_up_examples);
  }
  if (history.end == End::kCompleted) {
    note(last, history.completed, verdicts.completed,
         verdicts.completed_examples);
  }
  return verdicts;
}

// Returns the cost of a failure; counts its workload once per key.
template <typename Key>
Cost CostOf(const Entry& failure, const Key& key,
            absl::flat_hash_set<Key>& seen) {
  return {1, seen.insert(key).second ? 1 : 0, failure.spent};
}

void AddBy(const WorkloadHistory& history, ReportTotals& totals) {
  for (std::size_t by = 0; by < kBys; ++by) {
    absl::flat_hash_set<ReportTotals::Number> seen;
    for (const Entry& failure : history.failures) {
      const ReportTotals::Number name = failure.names[by];
      totals.by[by][name] += CostOf(failure, name, seen);
    }
  }
}

void AddTimes(const WorkloadHistory& history, ReportTotals& totals) {
  absl::flat_hash_set<std::pair<Day, ReportTotals::Number>> days;
  // The last moment of each cause.
  absl::flat_hash_map<ReportTotals::Number, std::int64_t> last;
  for (const Entry& failure : history.failures) {
    const std::int64_t observed = WholeSeconds(failure.observed);
    totals.first = std::min(totals.first, observed);
    totals.last = std::max(totals.last, observed);
    const Day day = observed - observed % kDaySeconds;
    const std::pair of_day = {day, AtKey(failure.names, By::kDomain)};
    totals.days[of_day] += CostOf(failure, of_day, days);
    if (!failure.by_platform) continue;
    const ReportTotals::Number node = AtKey(failure.names, By::kNode);
    if (node != Names::kNone) ++totals.nodes[{node, day}];
    const ReportTotals::Number cause = AtKey(failure.names, By::kCause);
    const std::int64_t moment = observed / kMomentSeconds;
    CauseStep& at = totals.moments[{cause, moment}];
    ++at.failures;
    at.lost += failure.spent;
    const auto [known, is_first] = last.try_emplace(cause, moment);
    if (!is_first && moment < known->second + kWindowMoments) {
      known->second = std::max(known->second, moment);
      continue;
    }
    ++at.begun;
    if (!is_first)
      ++totals.moments[{cause, known->second + kWindowMoments}].over;
    known->second = moment;
  }
  for (const auto& [cause, moment] : last) {
    ++totals.moments[{cause, moment + kWindowMoments}].over;
  }
}

void AddMoney(const WorkloadHistory& history, ReportTotals& totals) {
  absl::flat_hash_set<std::pair<ReportTotals::Number, ReportTotals::Number>>
      flows;
  absl::flat_hash_set<ReportTotals::Number> ended;
  for (const Entry& failure : history.failures) {
    const ReportTotals::Number budget = AtKey(failure.names, By::kBudget);
    const std::pair flow = {AtKey(failure.names, By::kDomain), budget};
    AtKey(totals.flows[flow], history.end) += CostOf(failure, flow, flows);
    if (budget == Names::kNone) continue;
    BudgetCost& cost = totals.budgets[budget];
    cost.charged += failure.units;
    cost.lost += failure.spent;
    if (failure.exhausted && ended.insert(budget).second) ++cost.ended;
  }
}

void AddWorkload(absl::Span<const KeptEntry> entries, ReportTotals& totals) {
  const WorkloadHistory history = HistoryOf(entries);
  if (history.failures.empty()) return;
  Cost all = {static_cast<Count>(history.failures.size()), 1, {}};
  for (const Entry& failure : history.failures) {
    all.lost += failure.spent;
    if (!failure.spent.any()) ++totals.without_times;
  }
  totals.repeated += history.repeated;
  totals.all += all;
  AtKey(totals.ends, history.end) += all;
  AddBy(history, totals);
  AddTimes(history, totals);
  AddMoney(history, totals);
  const std::string workload(entries.front().workload);
  totals.done += VerdictsOf(history, workload, Decider::kRecorded);
  if (!IsComparable(history)) return;
  totals.comparable += all;
  for (std::size_t side = 0; side < kDeciders; ++side) {
    totals.verdicts[side] +=
        VerdictsOf(history, workload, static_cast<Decider>(side));
  }
}

}  // namespace

void ReportTotals::Merge(const ReportTotals& other) {
  *this += other;
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

void AddWorkloads(std::vector<KeptEntry> entries, ReportTotals& totals) {
  // Orders equal times by failure and content, so that the result does not
  // depend on threads, files and machines.
  const auto order = [](const KeptEntry& kept) {
    const Entry& entry = kept.entry;
    const Spent& spent = entry.spent;
    return std::tie(entry.workload, entry.observed, entry.decided,
                    entry.failure, entry.content, spent.accelerator, spent.core,
                    spent.pod, entry.actions, entry.units, entry.exhausted,
                    entry.lasting, entry.separate);
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
