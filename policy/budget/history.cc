#include "policy/budget/history.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/demystify/demystify.h"
#include "policy/limits.h"
#include "policy/rules/cause_set.h"

namespace mulligan {
namespace {

constexpr absl::Duration kNodeMemory = absl::Hours(24);

constexpr CauseSet Set(std::initializer_list<v1::Cause> causes) {
  CauseSet set;
  for (const v1::Cause cause : causes) set.Add(cause);
  return set;
}

// Causes that the same program on the same input meets again. Leaves out what
// depends on others (dependencies, peers, the platform) and what is left
// unexplained.
constexpr CauseSet kRepeating = Set(
    {v1::CREATE_REJECTED, v1::IMAGE_INVALID, v1::IMAGE_DENIED,
     v1::CONFIG_MISSING, v1::CONTAINER_OOM, v1::GPU_OOM, v1::STORAGE_EXHAUSTED,
     v1::DEADLINE_POD, v1::HANG, v1::PROBE_KILLED, v1::CONFIG_USER_ERROR,
     v1::DECLARED_FATAL, v1::CRASH_SIGNAL, v1::DATA_OR_NUMERIC, v1::APP_ERROR});

// Causes that point to the node (field study: lemon nodes).
constexpr CauseSet kOfNode =
    Set({v1::NODE_LOST, v1::NODE_PRESSURE_EVICTED, v1::GPU_FAULT,
         v1::FABRIC_FAULT, v1::DEVICE_ADMISSION, v1::SANDBOX_OR_MOUNT,
         v1::HOST_OOM, v1::HANG, v1::CRASH_SIGNAL});

// Causes by which a job takes the blame when they follow it around.
constexpr CauseSet kOfJob =
    Set({v1::CRASH_SIGNAL, v1::HOST_OOM, v1::HANG, v1::GPU_FAULT});

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
      if (FaultDomainOf(record.cause()) == v1::DISRUPTION) continue;
      if (record.decision().action() == v1::WAIT) continue;
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
  if (thresholds.poison_nodes == 0 || !kOfJob.Contains(diagnosis.cause())) {
    return {};
  }
  ProgressWatch watch(progress);
  std::vector<std::string_view> nodes;
  AddNode(diagnosis.culprit().node(), nodes);
  for (const v1::AttemptRecord* record : failures) {
    if (!kOfJob.Contains(record->cause()) || watch.Advanced(*record)) break;
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
      !kOfNode.Contains(diagnosis.cause())) {
    return {};
  }
  std::int32_t count = 1;
  for (const v1::AttemptRecord* record : failures) {
    if (record->node() == node && kOfNode.Contains(record->cause()) &&
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
      diagnosis.confidence() != v1::LOW || diagnosis.has_exit_code();
  if (thresholds.same_fingerprint == 0 || fingerprint.empty() || !seen ||
      !kRepeating.Contains(diagnosis.cause())) {
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

DerivedCause DeriveCause(const CompiledDerivation& thresholds,
                         const v1::BudgetLedger& ledger,
                         const v1::Diagnosis& diagnosis,
                         const v1::Progress& progress, absl::Time failed_at) {
  if (diagnosis.fault_domain() == v1::DISRUPTION ||
      diagnosis.fault_domain() == v1::NONE) {
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
