#include "policy/budget/history.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/demystify/causes.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

constexpr absl::Duration kNodeMemory = absl::Hours(24);

bool Has(v1::Cause cause, History meaning) {
  return (RowOf(cause).history & meaning) != 0;
}

absl::Time TimeOf(const v1::AttemptRecord& record) {
  return ToTime(record.has_finished_at() ? record.finished_at()
                                         : record.observed_at());
}

// The failures that count, newest first; disruptions are left out.
class Failures {
 public:
  explicit Failures(const v1::BudgetLedger& ledger) {
    for (int i = ledger.history_size(); i-- > 0 && size_ < kMaxHistory;) {
      const v1::AttemptRecord& record = ledger.history(i);
      if (RowOf(record.cause()).domain == v1::Diagnosis::DISRUPTION) continue;
      if (record.decision().action() == v1::Decision::WAIT) continue;
      records_[static_cast<std::size_t>(size_++)] = &record;
    }
  }

  auto begin() const { return records_.begin(); }
  auto end() const { return records_.begin() + size_; }

 private:
  std::array<const v1::AttemptRecord*, kMaxHistory> records_;
  int size_ = 0;
};

// Whether the work got further between an older and a newer failure.
class ProgressWatch {
 public:
  explicit ProgressWatch(const v1::Progress& newest)
      : known_(newest.has_value()), newer_(newest.value()) {}
  // Steps back to `older`.
  bool Advanced(const v1::AttemptRecord& older) {
    if (!older.has_progress()) return false;
    const bool advanced = known_ && newer_ > older.progress();
    known_ = true;
    newer_ = older.progress();
    return advanced;
  }

 private:
  bool known_;
  double newer_;
};

void AddNode(const std::string& node, std::vector<std::string_view>& nodes) {
  if (!node.empty() &&
      std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
    nodes.push_back(node);
  }
}

std::string Poison(const CompiledDerivation& thresholds,
                   const Failures& failures, const v1::Diagnosis& diagnosis,
                   const v1::Progress& progress) {
  if (thresholds.poison_nodes == 0 || !Has(diagnosis.cause(), kOfJob)) {
    return {};
  }
  ProgressWatch watch(progress);
  std::vector<std::string_view> nodes;
  AddNode(diagnosis.culprit().node(), nodes);
  for (const v1::AttemptRecord* record : failures) {
    if (!Has(record->cause(), kOfJob) || watch.Advanced(*record)) break;
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
      !Has(diagnosis.cause(), kOfNode)) {
    return {};
  }
  std::int32_t count = 1;
  for (const v1::AttemptRecord* record : failures) {
    if (record->node() == node && Has(record->cause(), kOfNode) &&
        failed_at - TimeOf(*record) <= kNodeMemory) {
      ++count;
    }
  }
  if (count < thresholds.bad_node_failures) return {};
  return absl::StrFormat("%d failures on node %s point to the node", count,
                         node);
}

std::string Deterministic(const CompiledDerivation& thresholds,
                          const Failures& failures,
                          const v1::Diagnosis& diagnosis,
                          const v1::Progress& progress) {
  const std::string& fingerprint = diagnosis.fingerprint();
  // Three times nothing to see is no sameness.
  const bool seen =
      diagnosis.confidence() != v1::Diagnosis::LOW || diagnosis.has_exit_code();
  if (thresholds.same_fingerprint == 0 || fingerprint.empty() || !seen ||
      !Has(diagnosis.cause(), kRepeats)) {
    return {};
  }
  ProgressWatch watch(progress);
  std::vector<std::string_view> nodes;
  AddNode(diagnosis.culprit().node(), nodes);
  std::int32_t count = 1;
  for (const v1::AttemptRecord* record : failures) {
    // A verdict that changed resources started another experiment.
    if (record->fingerprint() != fingerprint || watch.Advanced(*record) ||
        !record->decision().resources().empty()) {
      break;
    }
    ++count;
    AddNode(record->node(), nodes);
  }
  const auto distinct = static_cast<std::int32_t>(nodes.size());
  if (count < thresholds.same_fingerprint ||
      (distinct > 0 && distinct < thresholds.distinct_nodes)) {
    return {};
  }
  return absl::StrFormat("the same failure %d times in a row without progress",
                         count);
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

Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger,
                    const v1::Diagnosis& diagnosis,
                    const v1::Progress& progress, absl::Time failed_at) {
  if (diagnosis.fault_domain() == v1::Diagnosis::DISRUPTION ||
      diagnosis.fault_domain() == v1::Diagnosis::NONE) {
    return {};
  }
  const Failures failures(ledger);
  if (std::string why = Poison(thresholds, failures, diagnosis, progress);
      !why.empty()) {
    return {v1::POISON_JOB, std::move(why)};
  }
  if (std::string why = BadNode(thresholds, failures, diagnosis, failed_at);
      !why.empty()) {
    return {v1::BAD_NODE, std::move(why)};
  }
  if (std::string why =
          Deterministic(thresholds, failures, diagnosis, progress);
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
