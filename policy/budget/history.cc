#include "policy/budget/history.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/demystify/causes.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

constexpr absl::Duration kNodeMemory = absl::Hours(24);
// Start-up takes minutes more or less, and nodes differ in speed.
constexpr absl::Duration kStartUp = absl::Minutes(10);
constexpr double kSameSpeed = 1.15;

absl::Time TimeOf(const v1::AttemptRecord& record) {
  return ToTime(record.has_finished_at() ? record.finished_at()
                                         : record.observed_at());
}

// The failures that count, newest first; disruptions and incidents are left
// out.
class Failures {
 public:
  explicit Failures(const v1::BudgetLedger& ledger) {
    for (int i = ledger.history_size(); i-- > 0 && size_ < kMaxHistory;) {
      const v1::AttemptRecord& record = ledger.history(i);
      if (RowOf(record.cause()).domain == v1::Diagnosis::DISRUPTION) continue;
      if (record.decision().action() == v1::Decision::WAIT) continue;
      if (record.derived_cause() == v1::INCIDENT) continue;
      records_[static_cast<std::size_t>(size_++)] = &record;
    }
  }

  auto begin() const { return records_.begin(); }
  auto end() const { return records_.begin() + size_; }

 private:
  std::array<const v1::AttemptRecord*, kMaxHistory> records_;
  int size_ = 0;
};

// Whether two attempts ended at places of their work that differ: by progress
// where it is known of both, else by how long they ran.
class ProgressWatch {
 public:
  ProgressWatch(const v1::Progress& newest,
                std::optional<absl::Duration> ran_for) {
    if (newest.has_value()) progress_ = newest.value();
    if (ran_for) Widen(*ran_for);
    timed_ = ran_for.has_value();
  }

  // Whether it knows all run times, and they are those of one place.
  bool TimesAgree() const { return timed_ && !RanFurther(longest_, shortest_); }

  // Steps back to `older`; whether the newer attempts ended elsewhere.
  bool Advanced(const v1::AttemptRecord& older) {
    if (older.has_ran_for()) Widen(ToDuration(older.ran_for()));
    timed_ = timed_ && older.has_ran_for();
    const bool advanced = older.has_progress() && progress_
                              ? *progress_ > older.progress()
                              : RanFurther(longest_, shortest_);
    if (older.has_progress()) progress_ = older.progress();
    return advanced;
  }

 private:
  void Widen(absl::Duration ran_for) {
    shortest_ = std::min(shortest_, ran_for);
    longest_ = std::max(longest_, ran_for);
  }

  std::optional<double> progress_;
  bool timed_ = false;
  // Of the run times that are known.
  absl::Duration shortest_ = absl::InfiniteDuration();
  absl::Duration longest_ = absl::ZeroDuration();
};

void AddNode(const std::string& node, std::vector<std::string_view>& nodes) {
  if (!node.empty() && std::ranges::find(nodes, node) == nodes.end()) {
    nodes.push_back(node);
  }
}

std::string Poison(const CompiledDerivation& thresholds,
                   const Failures& failures, const v1::Diagnosis& diagnosis,
                   ProgressWatch watch) {
  if (thresholds.poison_nodes == 0 || !HasHistory(diagnosis.cause(), kOfJob)) {
    return {};
  }
  std::vector<std::string_view> nodes;
  AddNode(diagnosis.culprit().node(), nodes);
  for (const v1::AttemptRecord* record : failures) {
    if (!HasHistory(record->cause(), kOfJob) || watch.Advanced(*record)) break;
    AddNode(record->node(), nodes);
  }
  const auto count = static_cast<std::int32_t>(nodes.size());
  if (count < thresholds.poison_nodes) return {};
  return absl::StrFormat("crashed on %d different nodes in a row", count);
}

std::string BadNode(const CompiledDerivation& thresholds,
                    const Failures& failures, const v1::Diagnosis& diagnosis,
                    absl::Time failed_at) {
  const std::string& node = diagnosis.culprit().node();
  if (thresholds.bad_node_failures == 0 || node.empty() ||
      !HasHistory(diagnosis.cause(), kOfNode)) {
    return {};
  }
  // The same crash twice is as well the program's own.
  const auto may_be_the_programs = [&](const v1::AttemptRecord& record) {
    return HasHistory(record.cause(), kRepeats) &&
           !record.fingerprint().empty() &&
           record.fingerprint() == diagnosis.fingerprint();
  };
  std::int32_t count = 1;
  for (const v1::AttemptRecord* record : failures) {
    if (record->node() == node && HasHistory(record->cause(), kOfNode) &&
        !may_be_the_programs(*record) &&
        failed_at - TimeOf(*record) <= kNodeMemory) {
      ++count;
    }
  }
  if (count < thresholds.bad_node_failures) return {};
  return absl::StrFormat("%d failures on node %s point to the node", count,
                         node);
}

// Equal failures in a row, the one at hand included.
class Streak {
 public:
  explicit Streak(const v1::Diagnosis& newest) {
    AddNode(newest.culprit().node(), nodes_);
  }

  void Add(const v1::AttemptRecord& record) {
    ++count_;
    AddNode(record.node(), nodes_);
  }
  std::int32_t count() const { return count_; }
  // Nodes are asked for only where they are known.
  bool Reaches(std::int32_t failures, std::int32_t nodes) const {
    return failures > 0 && count_ >= failures &&
           (nodes_.empty() ||
            static_cast<std::int32_t>(nodes_.size()) >= nodes);
  }

 private:
  std::int32_t count_ = 1;
  std::vector<std::string_view> nodes_;
};

// Whether the same program meets it again, so that meeting it again says so.
bool MayRepeat(const v1::Diagnosis& diagnosis) {
  // Three times nothing to see is no sameness.
  const bool seen =
      diagnosis.confidence() != v1::Diagnosis::LOW || diagnosis.has_exit_code();
  // The same limit is too small each time: that says nothing of a larger one.
  const bool outgrown = RowOf(diagnosis.cause()).gang == GangClass::kMemory;
  return !diagnosis.fingerprint().empty() && seen && !outgrown &&
         HasHistory(diagnosis.cause(), kRepeats);
}

// Whether the failure shows no more than that the program failed: a general
// exit code, an exception of no known kind.
bool IsPlain(const v1::Diagnosis& diagnosis) {
  return diagnosis.cause() == v1::APP_ERROR &&
         diagnosis.outlook() == v1::Diagnosis::OUTLOOK_UNKNOWN;
}

// Failures in a row that look like the one at hand, without progress, and those
// of them that were told at its place: its artifact, or else its progress.
struct Streaks {
  Streak any;
  Streak at_place;
};

// What strikes at random strikes at another step. Before the first one
// everything that is flaky lies ahead: that is no place.
bool HasPlace(const v1::Progress& progress) {
  return !progress.artifact().empty() || progress.value() > 0;
}

bool IsAtPlace(const v1::AttemptRecord& record, const v1::Progress& progress,
               const ProgressWatch& watch) {
  return progress.artifact().empty()
             ? record.progress() == progress.value() && watch.TimesAgree()
             : record.artifact() == progress.artifact();
}

Streaks CountStreaks(const Failures& failures, const v1::Diagnosis& diagnosis,
                     const v1::Progress& progress, ProgressWatch watch) {
  Streaks streaks{Streak(diagnosis), Streak(diagnosis)};
  bool same_place = HasPlace(progress);
  for (const v1::AttemptRecord* record : failures) {
    // A verdict that changed resources started another experiment.
    if (record->fingerprint().empty() ||
        record->fingerprint() != diagnosis.fingerprint() ||
        watch.Advanced(*record) || !record->decision().resources().empty()) {
      break;
    }
    streaks.any.Add(*record);
    same_place = same_place && IsAtPlace(*record, progress, watch);
    if (same_place) streaks.at_place.Add(*record);
  }
  return streaks;
}

// How many make it DETERMINISTIC wherever they were told; 0: no number does.
std::int32_t AnywhereAlike(const CompiledDerivation& thresholds,
                           const v1::Diagnosis& diagnosis,
                           const v1::Progress& progress) {
  if (thresholds.same_fingerprint == 0) return 0;
  // A busy port, a flaky file system and a bug all end with exit code 1.
  const bool plain = IsPlain(diagnosis) && !progress.has_value();
  return thresholds.same_fingerprint + (plain ? 1 : 0);
}

std::string Deterministic(const CompiledDerivation& thresholds,
                          const Failures& failures,
                          const v1::Diagnosis& diagnosis,
                          const v1::Progress& progress, ProgressWatch watch) {
  if (!MayRepeat(diagnosis)) return {};
  const Streaks streaks = CountStreaks(failures, diagnosis, progress, watch);
  if (HasPlace(progress) &&
      streaks.at_place.Reaches(thresholds.same_artifact,
                               thresholds.distinct_nodes)) {
    return absl::StrFormat(
        "the same failure %d times in a row at %s without progress",
        streaks.at_place.count(),
        progress.artifact().empty()
            ? absl::StrFormat("progress %g", progress.value())
            : Visible(progress.artifact()));
  }
  if (!streaks.any.Reaches(AnywhereAlike(thresholds, diagnosis, progress),
                           thresholds.distinct_nodes)) {
    return {};
  }
  return absl::StrFormat("the same failure %d times in a row without progress",
                         streaks.any.count());
}

std::string CrashLoop(const CompiledDerivation& thresholds,
                      const Failures& failures, absl::Time failed_at) {
  if (thresholds.crash_loop_failures == 0) return {};
  std::int32_t count = 1;
  for (const v1::AttemptRecord* record : failures) {
    const bool long_run =
        record->has_ran_for() &&
        ToDuration(record->ran_for()) >= thresholds.crash_loop_window;
    if (long_run || failed_at - TimeOf(*record) > thresholds.crash_loop_window)
      break;
    ++count;
  }
  if (count < thresholds.crash_loop_failures) return {};
  return absl::StrFormat("%d failures within %s", count,
                         absl::FormatDuration(thresholds.crash_loop_window));
}

}  // namespace

bool FailedThereBefore(const v1::BudgetLedger& ledger,
                       const v1::Diagnosis& diagnosis, absl::Time failed_at) {
  const std::string& node = diagnosis.culprit().node();
  return !node.empty() &&
         std::ranges::any_of(
             Failures(ledger), [&](const v1::AttemptRecord* record) {
               return record->node() == node &&
                      failed_at - TimeOf(*record) <= kNodeMemory;
             });
}

std::int32_t EnoughAlike(const CompiledDerivation& thresholds,
                         const v1::Diagnosis& diagnosis,
                         const v1::Progress& progress, bool timed) {
  if (!MayRepeat(diagnosis)) return 0;
  const std::int32_t anywhere = AnywhereAlike(thresholds, diagnosis, progress);
  const bool placed =
      HasPlace(progress) && (timed || !progress.artifact().empty());
  if (!placed || thresholds.same_artifact == 0) return anywhere;
  return anywhere == 0 ? thresholds.same_artifact
                       : std::min(anywhere, thresholds.same_artifact);
}

std::int32_t CountAlike(const v1::BudgetLedger& ledger,
                        const v1::Diagnosis& diagnosis,
                        const v1::Progress& progress,
                        std::optional<absl::Duration> ran_for) {
  if (diagnosis.fingerprint().empty()) return 1;
  return CountStreaks(Failures(ledger), diagnosis, progress,
                      ProgressWatch(progress, ran_for))
      .any.count();
}

bool RanFurther(absl::Duration ran_for, absl::Duration than) {
  return ran_for > kStartUp + kSameSpeed * than;
}

Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger,
                    const v1::Diagnosis& diagnosis,
                    const v1::Progress& progress, absl::Time failed_at,
                    std::optional<absl::Duration> ran_for) {
  if (diagnosis.fault_domain() == v1::Diagnosis::DISRUPTION ||
      diagnosis.fault_domain() == v1::Diagnosis::NONE) {
    return {};
  }
  const Failures failures(ledger);
  const ProgressWatch watch(progress, ran_for);
  if (std::string why = Poison(thresholds, failures, diagnosis, watch);
      !why.empty()) {
    return {v1::POISON_JOB, std::move(why)};
  }
  if (std::string why = BadNode(thresholds, failures, diagnosis, failed_at);
      !why.empty()) {
    return {v1::BAD_NODE, std::move(why)};
  }
  if (std::string why =
          Deterministic(thresholds, failures, diagnosis, progress, watch);
      !why.empty()) {
    return {v1::DETERMINISTIC, std::move(why)};
  }
  if (std::string why = CrashLoop(thresholds, failures, failed_at);
      !why.empty()) {
    return {v1::CRASH_LOOP, std::move(why)};
  }
  return {};
}

}  // namespace mulligan
