#include "policy/budget/history.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/limits.h"
#include "policy/request/recorded.h"

namespace mulligan {
namespace {

constexpr absl::Duration kNodeMemory = absl::Hours(24);
// Start-up time varies by minutes, and nodes differ in speed.
constexpr absl::Duration kStartUp = absl::Minutes(10);
constexpr double kSameSpeed = 1.15;
// As in demystify/blame.cc.
constexpr absl::Duration kLongRun = absl::Minutes(15);
// Plain failures are alike only if they also take about as long: what fails by
// chance (a race, a flaky file system) fails at any time.
constexpr absl::Duration kPlainStartUp = absl::Seconds(10);
constexpr double kPlainSpeed = 1.5;

using Records = absl::InlinedVector<const v1::AttemptRecord*, kMaxHistory>;

// Newest first, without disruptions, incidents and waits.
Records FailuresIn(const v1::BudgetLedger& ledger) {
  Records failures;
  for (int i = ledger.history_size();
       i-- > 0 && failures.size() < kMaxHistory;) {
    const v1::AttemptRecord& record = ledger.history(i);
    if (RowOf(record.cause()).domain != v1::Diagnosis::DISRUPTION &&
        record.decision().action() != v1::Decision::WAIT &&
        record.derived_cause() != v1::INCIDENT) {
      failures.push_back(&record);
    }
  }
  return failures;
}

// Returns whether only an operator's message without a reason reports the
// failure. Its cause is open, so it neither extends nor breaks a streak.
bool IsUninformative(const v1::AttemptRecord& record) {
  return IsUnexplained(record.cause()) && IsRetriedByOthers(record) &&
         !IsOfPod(record);
}

// Returns whether the failure shows only that the program failed: a general
// exit code or an unknown kind of exception.
bool IsPlain(const Failure& failure) {
  return failure.confidence == v1::Diagnosis::LOW ||
         (failure.cause == v1::APP_ERROR &&
          failure.outlook == v1::Diagnosis::OUTLOOK_UNKNOWN);
}

// Decides whether attempts ended at different points of the work: by progress
// if both report it, else by how long they ran.
class ProgressWatch {
 public:
  // `plain`: see IsPlain.
  ProgressWatch(const v1::Progress& newest,
                std::optional<absl::Duration> ran_for, bool plain)
      : plain_(plain) {
    Reach(newest.has_value(), newest.value());
    if (ran_for) Widen(*ran_for);
    timed_ = ran_for.has_value();
  }

  // Returns whether all run times are known and agree with a single point.
  bool TimesAgree() const { return timed_ && !AreApart(); }

  // Moves back to `older` and returns whether the newer attempts got further.
  bool Advanced(const v1::AttemptRecord& older) {
    if (older.has_ran_for()) Widen(ToDuration(older.ran_for()));
    timed_ = timed_ && older.has_ran_for();
    const bool advanced = older.has_progress() && has_progress_
                              ? progress_ > older.progress()
                              : AreApart();
    Reach(older.has_progress(), older.progress());
    return advanced;
  }

 private:
  bool AreApart() const {
    return RanFurther(longest_, shortest_) ||
           (plain_ && longest_ > shortest_ &&
            longest_ > kPlainStartUp + kPlainSpeed * shortest_);
  }

  void Widen(absl::Duration ran_for) {
    shortest_ = std::min(shortest_, ran_for);
    longest_ = std::max(longest_, ran_for);
  }

  void Reach(bool reported, double progress) {
    has_progress_ = has_progress_ || reported;
    if (reported) progress_ = progress;
  }

  const bool plain_;
  // Progress of the oldest attempt so far that reported any.
  bool has_progress_ = false;
  double progress_ = 0;
  bool timed_ = false;
  // Over the known run times.
  absl::Duration shortest_ = absl::InfiniteDuration();
  absl::Duration longest_ = absl::ZeroDuration();
};

struct Derivation {
  const CompiledDerivation& thresholds;
  const Failure& failure;
  const v1::Progress& progress;
  const absl::Time failed_at;
  const ProgressWatch watch;
  const Records failures;
};

// Returns the number of known nodes of the current failure and of `before`.
std::int32_t CountNodes(const Failure& failure,
                        std::span<const v1::AttemptRecord* const> before) {
  std::vector<std::string_view> nodes;
  const auto add = [&nodes](std::string_view node) {
    if (!node.empty() && std::ranges::find(nodes, node) == nodes.end()) {
      nodes.push_back(node);
    }
  };
  add(failure.culprit.node);
  for (const v1::AttemptRecord* record : before) add(record->node());
  return static_cast<std::int32_t>(nodes.size());
}

// Within this time controllers mark all pods of a node that goes.
constexpr absl::Duration kAtOnce = absl::Minutes(1);

// Returns whether the node itself goes, with all its pods.
bool IsLoss(v1::Cause cause) {
  return cause == v1::SPOT_RECLAIMED || cause == v1::DRAINED ||
         cause == v1::TAINT_EVICTED || cause == v1::NODE_SHUTDOWN ||
         cause == v1::NODE_LOST;
}

std::string Poison(const Derivation& input) {
  if (input.thresholds.poison_nodes == 0 ||
      !HasHistory(input.failure.cause, kOfJob)) {
    return {};
  }
  ProgressWatch watch = input.watch;
  const auto ends = [&watch](const v1::AttemptRecord* record) {
    return !HasHistory(record->cause(), kOfJob) || watch.Advanced(*record);
  };
  const auto end = std::ranges::find_if(input.failures, ends);
  const std::int32_t count =
      CountNodes(input.failure, {input.failures.begin(), end});
  if (count < input.thresholds.poison_nodes) return {};
  return absl::StrFormat("crashed on %d different nodes in a row", count);
}

// Returns whether the recorded failure was on the node within the last day.
bool WasThere(const v1::AttemptRecord& record, const std::string& node,
              absl::Time failed_at) {
  return record.node() == node &&
         failed_at - RecordedEnd(record) <= kNodeMemory;
}

std::string BadNode(const Derivation& input) {
  const std::string& node = input.failure.culprit.node;
  if (input.thresholds.bad_node_failures == 0 || node.empty() ||
      !HasHistory(input.failure.cause, kOfNode)) {
    return {};
  }
  // The same crash twice may also be the program's own fault.
  const auto may_be_the_programs = [&](const v1::AttemptRecord& record) {
    return HasHistory(record.cause(), kRepeats) &&
           !record.fingerprint().empty() &&
           record.fingerprint() == input.failure.fingerprint;
  };
  std::int32_t count = 1;
  absl::Time counted = input.failed_at;
  for (const v1::AttemptRecord* record : input.failures) {
    const absl::Time ended = RecordedEnd(*record);
    // A node that goes is one failure, however many pods it had.
    if (!HasHistory(record->cause(), kOfNode) || may_be_the_programs(*record) ||
        !WasThere(*record, node, input.failed_at) ||
        (IsLoss(record->cause()) && counted - ended <= kAtOnce)) {
      continue;
    }
    ++count;
    counted = ended;
  }
  if (count < input.thresholds.bad_node_failures) return {};
  return absl::StrFormat("%d failures on node %s point to the node", count,
                         node);
}

// Returns whether the program would fail in the same way again, so that a
// repetition is evidence.
bool MayRepeat(const Failure& failure) {
  // Repeated absence of evidence is not a repetition.
  const bool seen =
      failure.confidence != v1::Diagnosis::LOW || failure.exit_code;
  // The same limit is always too small, which says nothing of a larger one.
  const bool outgrown = RowOf(failure.cause).gang == GangClass::kMemory;
  return !failure.fingerprint.empty() && seen && !outgrown &&
         HasHistory(failure.cause, kRepeats);
}

// Returns whether the progress names a point of the work. At the start, every
// flaky step still lies ahead, so it is not one.
bool HasPlace(const v1::Progress& progress) {
  return !progress.artifact().empty() || progress.value() > 0;
}

bool IsAtPlace(const v1::AttemptRecord& record, const v1::Progress& progress,
               const ProgressWatch& watch) {
  return progress.artifact().empty()
             ? record.progress() == progress.value() && watch.TimesAgree()
             : record.artifact() == progress.artifact();
}

// The failures in a row before the current one that match it without progress.
// The newest `at_place` of them have its artifact, or else its progress.
struct Streak {
  Records before;
  std::size_t at_place = 0;
};

Streak FindStreak(const Records& failures, const Failure& failure,
                  const v1::Progress& progress, ProgressWatch watch) {
  Streak streak;
  bool same_place = HasPlace(progress);
  for (const v1::AttemptRecord* record : failures) {
    const bool same = record->fingerprint() == failure.fingerprint;
    if (!same && IsUninformative(*record)) continue;
    // A verdict that changed resources starts a new streak.
    if (record->fingerprint().empty() || !same || watch.Advanced(*record) ||
        !record->decision().resources().empty()) {
      break;
    }
    streak.before.push_back(record);
    same_place = same_place && IsAtPlace(*record, progress, watch);
    if (same_place) ++streak.at_place;
  }
  return streak;
}

// Returns how many make it DETERMINISTIC at any place; 0 if that is disabled.
std::int32_t AnywhereAlike(const CompiledDerivation& thresholds,
                           const Failure& failure,
                           const v1::Progress& progress) {
  if (thresholds.same_fingerprint == 0) return 0;
  // A busy port, a flaky file system and a bug all give exit code 1.
  // What a long run meets, the next may get past from a checkpoint.
  const bool passable =
      failure.outlook != v1::Diagnosis::CANNOT_RECOVER &&
      failure.ran_for.value_or(absl::ZeroDuration()) > kLongRun;
  const bool weak = (IsPlain(failure) || passable) && !progress.has_value();
  return thresholds.same_fingerprint + (weak ? 1 : 0);
}

// Returns the number of failures including `before` if it is enough, else 0.
// Distinct nodes are required only if nodes are known.
std::size_t CountIfEnough(const Derivation& input,
                          std::span<const v1::AttemptRecord* const> before,
                          std::int32_t enough) {
  const std::size_t count = before.size() + 1;
  if (enough <= 0 || count < static_cast<std::size_t>(enough)) return 0;
  const std::int32_t nodes = CountNodes(input.failure, before);
  return nodes == 0 || nodes >= input.thresholds.distinct_nodes ? count : 0;
}

std::string Deterministic(const Derivation& input) {
  if (!MayRepeat(input.failure)) return {};
  const Streak streak =
      FindStreak(input.failures, input.failure, input.progress, input.watch);
  const std::span<const v1::AttemptRecord* const> before = streak.before;
  const std::string& artifact = input.progress.artifact();
  const std::size_t placed = CountIfEnough(input, before.first(streak.at_place),
                                           input.thresholds.same_artifact);
  if (HasPlace(input.progress) && placed > 0) {
    return absl::StrFormat(
        "the same failure %d times in a row at %s without progress", placed,
        artifact.empty()
            ? absl::StrFormat("progress %g", input.progress.value())
            : Visible(artifact));
  }
  const std::size_t anywhere = CountIfEnough(
      input, before,
      AnywhereAlike(input.thresholds, input.failure, input.progress));
  if (anywhere == 0) return {};
  return absl::StrFormat("the same failure %d times in a row without progress",
                         anywhere);
}

std::string CrashLoop(const Derivation& input) {
  const absl::Duration window = input.thresholds.crash_loop_window;
  if (input.thresholds.crash_loop_failures == 0) return {};
  const auto ends = [&](const v1::AttemptRecord* record) {
    const bool long_run =
        record->has_ran_for() && ToDuration(record->ran_for()) >= window;
    return long_run || input.failed_at - RecordedEnd(*record) > window;
  };
  const auto count =
      1 + std::distance(input.failures.begin(),
                        std::ranges::find_if(input.failures, ends));
  if (count < input.thresholds.crash_loop_failures) return {};
  return absl::StrFormat("%d failures within %s", count,
                         absl::FormatDuration(window));
}

// In order of evaluation; the first nonempty reason wins.
constexpr struct {
  v1::DerivedCause cause;
  std::string (*why)(const Derivation& input);
} kDerived[] = {{v1::POISON_JOB, Poison},
                {v1::BAD_NODE, BadNode},
                {v1::DETERMINISTIC, Deterministic},
                {v1::CRASH_LOOP, CrashLoop}};

}  // namespace

bool FailedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                       absl::Time failed_at) {
  const std::string& node = failure.culprit.node;
  return !node.empty() &&
         std::ranges::any_of(FailuresIn(ledger),
                             [&](const v1::AttemptRecord* record) {
                               return WasThere(*record, node, failed_at);
                             });
}

std::int32_t EnoughAlike(const CompiledDerivation& thresholds,
                         const Failure& failure, const v1::Progress& progress,
                         bool timed) {
  if (!MayRepeat(failure)) return 0;
  const std::int32_t anywhere = AnywhereAlike(thresholds, failure, progress);
  const bool placed =
      HasPlace(progress) && (timed || !progress.artifact().empty());
  if (!placed || thresholds.same_artifact == 0) return anywhere;
  return anywhere == 0 ? thresholds.same_artifact
                       : std::min(anywhere, thresholds.same_artifact);
}

std::int32_t CountAlike(const v1::BudgetLedger& ledger, const Failure& failure,
                        const v1::Progress& progress,
                        std::optional<absl::Duration> ran_for) {
  const Streak streak =
      FindStreak(FailuresIn(ledger), failure, progress,
                 ProgressWatch(progress, ran_for, IsPlain(failure)));
  return static_cast<std::int32_t>(streak.before.size()) + 1;
}

bool EndedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                      const v1::Progress& progress) {
  if (!failure.ran_for || failure.domain == v1::Diagnosis::RESOURCE_LIMIT) {
    return false;
  }
  const Records failures = FailuresIn(ledger);
  const Streak streak =
      FindStreak(failures, failure, progress,
                 ProgressWatch(progress, failure.ran_for, IsPlain(failure)));
  if (!streak.before.empty()) return streak.before.front()->has_ran_for();
  if (failures.empty()) return false;
  const v1::AttemptRecord& before = *failures.front();
  Reached reached{failure.ran_for, std::nullopt};
  if (progress.has_value()) reached.progress = progress.value();
  return before.cannot_recover() && before.has_ran_for() &&
         RowOf(before.cause()).domain != v1::Diagnosis::RESOURCE_LIMIT &&
         before.fingerprint() != failure.fingerprint &&
         !GotFurther(reached, ReachedBy(before));
}

std::optional<Loop> FindLoop(const CompiledDerivation& thresholds,
                             const v1::BudgetLedger& ledger) {
  const Records failures = FailuresIn(ledger);
  const auto newest = std::ranges::find_if_not(
      failures, [](const auto* record) { return IsUninformative(*record); });
  if (failures.empty()) return std::nullopt;
  const v1::AttemptRecord& last =
      newest == failures.end() ? *failures.front() : **newest;
  if (last.fingerprint().empty()) return std::nullopt;
  Loop loop;
  const auto index_of = [&ledger](const v1::AttemptRecord& record) {
    int i = 0;
    while (&ledger.history(i) != &record) ++i;
    return i;
  };
  loop.record = index_of(last);
  v1::Progress reached;
  if (last.has_progress()) reached.set_value(last.progress());
  ProgressWatch watch(reached, std::nullopt,
                      last.cause() == v1::APP_ERROR && !last.cannot_recover());
  std::set<std::string_view> nodes;
  bool differs = false;
  for (const v1::AttemptRecord* record : failures) {
    const bool same = record->fingerprint() == last.fingerprint();
    if (!same && IsUninformative(*record)) continue;
    if (watch.Advanced(*record)) break;
    differs = differs || !same ||
              (record != &last && !record->decision().resources().empty() &&
               !IsRetriedByOthers(*record));
    if (differs) continue;
    ++loop.alike;
    if (!record->node().empty()) nodes.insert(record->node());
    loop.longest = std::max(loop.longest, ToDuration(record->ran_for()));
  }
  if (thresholds.same_fingerprint > 0 && HasHistory(last.cause(), kRepeats) &&
      RowOf(last.cause()).gang != GangClass::kMemory) {
    const bool one_place =
        !nodes.empty() &&
        std::ssize(nodes) < std::ptrdiff_t{thresholds.distinct_nodes};
    loop.weak =
        !last.cannot_recover() && (last.cause() == v1::APP_ERROR ||
                                   ToDuration(last.ran_for()) > kLongRun);
    loop.enough = thresholds.same_fingerprint + (loop.weak   ? 2
                                                 : one_place ? 1
                                                             : 0);
  }
  return loop;
}

Unchanged TriedUnchanged(const v1::BudgetLedger& ledger,
                         const Failure& failure) {
  Unchanged tried;
  if (failure.fingerprint.empty()) return tried;
  for (const v1::AttemptRecord* record : FailuresIn(ledger)) {
    if (!IsRetriedByOthers(*record)) break;
    if (record->part() != failure.incident.part ||
        record->fingerprint() != failure.fingerprint) {
      continue;
    }
    ++tried.times;
    tried.paid = tried.paid || !record->charged_to().empty();
  }
  return tried;
}

bool IsPaidLoss(const v1::BudgetLedger& ledger, const Failure& failure) {
  const Incident& incident = failure.incident;
  if (!incident.alone || failure.culprit.node.empty() || !incident.begin ||
      !incident.struck || !IsLoss(failure.cause)) {
    return false;
  }
  return std::ranges::any_of(
      ledger.history(), [&](const v1::AttemptRecord& record) {
        const absl::Time ended = RecordedEnd(record);
        return record.cause() == failure.cause &&
               !record.charged_to().empty() &&
               record.node() == failure.culprit.node &&
               *incident.begin < ended &&
               absl::AbsDuration(*incident.struck - ended) <= kAtOnce;
      });
}

std::optional<std::string_view> PayerOfCounted(const v1::BudgetLedger& ledger,
                                               std::string_view fingerprint) {
  std::optional<std::string_view> payer;
  int explained = fingerprint.empty() ? 0 : 1;
  bool disruptions = true;
  for (const v1::AttemptRecord& record : ledger.history()) {
    const bool same =
        !fingerprint.empty() && record.fingerprint() == fingerprint;
    if (record.decision().action() == v1::Decision::WAIT ||
        (!same && IsUninformative(record))) {
      continue;
    }
    const bool first = fingerprint.empty();
    if (first) fingerprint = record.fingerprint();
    const CauseRow& row = RowOf(record.cause());
    const bool outgrown =
        row.gang == GangClass::kMemory && IsRetriedByOthers(record);
    const std::string_view paid =
        outgrown ? std::string_view() : record.charged_to();
    const bool disrupted =
        !paid.empty() && row.domain == v1::Diagnosis::DISRUPTION;
    if (!(disrupted || outgrown || same || first) ||
        payer.value_or(paid) != paid) {
      return std::nullopt;
    }
    payer = paid;
    disruptions = disruptions && disrupted;
    ++explained;
  }
  // A single failure of the program says nothing about others.
  if (payer && !payer->empty() && !disruptions && explained < 2) {
    return std::nullopt;
  }
  return payer;
}

std::int32_t Unrecorded(const v1::BudgetLedger& ledger, std::int32_t ends,
                        int latest) {
  for (int i = 0; i < ledger.history_size(); ++i) {
    const bool counts =
        ledger.history(i).retried_by() == v1::AttemptRecord::KUBELET;
    if (counts && i != latest) --ends;
  }
  return std::max(ends, 0);
}

bool RanFurther(absl::Duration ran_for, absl::Duration than) {
  // The first comparison is cheap and decides most cases.
  return ran_for > than && ran_for > kStartUp + kSameSpeed * than;
}

Reached ReachedBy(const v1::AttemptRecord& record) {
  Reached reached;
  if (record.has_ran_for()) reached.ran = ToDuration(record.ran_for());
  if (record.has_progress()) reached.progress = record.progress();
  return reached;
}

bool GotFurther(const Reached& attempt, const Reached& before) {
  if (attempt.progress && before.progress) {
    return *attempt.progress > *before.progress;
  }
  return attempt.ran && before.ran && RanFurther(*attempt.ran, *before.ran);
}

Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger, const Failure& failure,
                    const v1::Progress& progress, absl::Time failed_at,
                    std::optional<absl::Duration> ran_for) {
  if (failure.domain == v1::Diagnosis::DISRUPTION ||
      failure.domain == v1::Diagnosis::NONE) {
    return {};
  }
  const Derivation input = {thresholds,
                            failure,
                            progress,
                            failed_at,
                            ProgressWatch(progress, ran_for, IsPlain(failure)),
                            FailuresIn(ledger)};
  for (const auto& derived : kDerived) {
    std::string why = derived.why(input);
    if (!why.empty()) return {derived.cause, std::move(why)};
  }
  return {};
}

}  // namespace mulligan
