#include "policy/budget/stake.h"

#include <algorithm>
#include <cstdint>

#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/budget/history.h"
#include "policy/demystify/causes.h"
#include "policy/request/accelerators.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

// The resources that the attempt holds while it runs.
struct Held {
  std::int64_t pods = 0;
  std::int64_t accelerators = 0;

  // The unit in which its hours are counted.
  double units() const {
    return static_cast<double>(
        std::max<std::int64_t>(accelerators > 0 ? accelerators : pods, 1));
  }
};

void AddPod(const core::Pod& pod, Held& held) {
  ++held.pods;
  held.accelerators += AcceleratorsOf(pod);
}

Held HeldBy(const AttemptAtStake& attempt) {
  Held held;
  const bool alone = attempt.failure.incident.alone;
  for (const core::Pod& pod : attempt.report.pods()) {
    const std::string& phase = pod.status().phase();
    // If the culprit works alone, the other pods keep running.
    const bool another =
        alone && pod.metadata().name() != attempt.failure.culprit.pod;
    if (another || phase == "Succeeded" || phase == "Pending") continue;
    AddPod(pod, held);
  }
  if (held.pods == 0 || alone) return held;
  // Omitted pods are taken to be like those in the report.
  const v1::PodCounts& omitted = attempt.report.omitted_pods();
  const std::int64_t more =
      std::int64_t{omitted.failed()} + std::int64_t{omitted.running()};
  held.accelerators += held.accelerators * more / held.pods;
  held.pods += more;
  return held;
}

// Returns the time from the last progress to the end; `ran` if unknown.
absl::Duration SinceProgress(const AttemptAtStake& attempt,
                             absl::Duration ran) {
  const v1::Progress& progress = attempt.report.progress();
  const auto& end = attempt.failure.finished_at;
  if (!IsSet(progress.advanced_at()) || !IsSet(end)) return ran;
  return std::clamp(ToTime(end) - ToTime(progress.advanced_at()),
                    absl::ZeroDuration(), ran);
}

// Sums up the attempts of a workload, oldest first.
class Tally {
 public:
  explicit Tally(v1::Cause cause) : cause_(cause) {}

  // `unchanged`: the next attempt runs as this one did.
  void Add(v1::Cause cause, const Reached& attempt, bool unchanged) {
    const bool further = !last_ || GotFurther(attempt, *last_);
    // A disrupted attempt may have got anywhere, and says nothing about the
    // failure before.
    const bool stopped = RowOf(cause).domain == v1::Diagnosis::DISRUPTION;
    if (further || stopped) {
      good_ += attempt.ran.value_or(absl::ZeroDuration());
    }
    if (stopped) return;
    if (open_ && further) {
      ++passed_;
    } else if (open_ && cause == cause_) {
      ++failed_again_;
    }
    open_ = cause == cause_ && unchanged;
    last_ = attempt;
  }

  absl::Duration good() const { return good_; }
  std::int32_t passed() const { return passed_; }
  std::int32_t failed_again() const { return failed_again_; }

 private:
  const v1::Cause cause_;
  // The previous failure, and whether a retry after it counts.
  std::optional<Reached> last_;
  bool open_ = false;
  absl::Duration good_;
  std::int32_t passed_ = 0;
  std::int32_t failed_again_ = 0;
};

void AddHistory(const AttemptAtStake& attempt, absl::Duration unsaved,
                double units, v1::Stake& stake) {
  const v1::Cause cause = attempt.failure.cause;
  Tally tally(cause);
  for (const v1::AttemptRecord& record : attempt.ledger.history()) {
    // Incidents and waits say nothing about this workload.
    if (record.derived_cause() == v1::INCIDENT ||
        record.decision().action() == v1::Decision::WAIT) {
      continue;
    }
    tally.Add(record.cause(), ReachedBy(record),
              record.decision().action() == v1::Decision::RETRY &&
                  record.decision().resources().empty());
  }
  const absl::Duration before = tally.good();
  Reached now{attempt.ran, std::nullopt};
  if (attempt.report.progress().has_value()) {
    now.progress = attempt.report.progress().value();
  }
  tally.Add(cause, now, /*unchanged=*/true);
  const absl::Duration saved =
      attempt.ran.value_or(absl::ZeroDuration()) - unsaved;
  stake.set_good_hours(
      absl::ToDoubleHours(std::max(tally.good(), before + saved)) * units);
  stake.set_passed(tally.passed());
  stake.set_failed_again(tally.failed_again());
}

void AddOthers(const AttemptAtStake& attempt, v1::Stake& stake) {
  for (const v1::RecentFailures& window : attempt.recent) {
    std::int64_t passed = 0;
    std::int64_t failed_again = 0;
    for (const v1::FailureGroup& group : window.groups()) {
      if (group.cause() != attempt.failure.cause) continue;
      passed += group.passed();
      failed_again += group.failed_again();
    }
    if (passed + failed_again >
        std::int64_t{stake.others_passed()} + stake.others_failed_again()) {
      stake.set_others_passed(CountOf(passed));
      stake.set_others_failed_again(CountOf(failed_again));
    }
  }
}

}  // namespace

v1::Stake StakeOf(const AttemptAtStake& attempt) {
  v1::Stake stake;
  const Held held = HeldBy(attempt);
  stake.set_accelerators(CountOf(held.accelerators));
  absl::Duration unsaved;
  if (attempt.ran) {
    SetDuration(*attempt.ran, *stake.mutable_ran());
    unsaved = SinceProgress(attempt, *attempt.ran);
    stake.set_hours(absl::ToDoubleHours(unsaved) * held.units());
  }
  stake.set_alike(CountAlike(attempt.ledger, attempt.failure,
                             attempt.report.progress(), attempt.ran));
  AddHistory(attempt, unsaved, held.units(), stake);
  AddOthers(attempt, stake);
  return stake;
}

v1::Stake AvoidableStake(const v1::FailureReport& report,
                         const std::vector<int>& ended,
                         absl::Duration avoidable) {
  Held held;
  for (const core::Pod& pod : report.pods()) {
    if (pod.status().phase() == "Running") AddPod(pod, held);
  }
  if (held.pods == 0) {
    for (const int pod : ended) AddPod(report.pods(pod), held);
  }
  v1::Stake stake;
  stake.set_accelerators(CountOf(held.accelerators));
  stake.set_avoidable_hours(absl::ToDoubleHours(avoidable) * held.units());
  return stake;
}

}  // namespace mulligan
