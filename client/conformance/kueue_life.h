// One workload through its admissions, as Kueue's integration tests tell it.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_LIFE_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_LIFE_H_

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "policy/native/kueue_eviction.h"
#include "policy/native/kueue_gates.h"
#include "policy/native/kueue_settings.h"
#include "policy/native/kueue_types.h"

namespace mulligan::conformance {

class KueueLife {
 public:
  // Begins at `now`. `settings` absent: readiness is not watched.
  KueueLife(kueue::Workload workload,
            std::optional<kueue::WaitForPodsReady> settings, kueue::Gates gates,
            bool pod_group, absl::Time now)
      : workload_(std::move(workload)),
        settings_(std::move(settings)),
        gates_(gates),
        pod_group_(pod_group),
        now_(now) {}

  const kueue::Workload& workload() const { return workload_; }
  absl::Time now() const { return now_; }
  const std::vector<kueue::EvictionReport>& reports() const { return reports_; }
  std::optional<kueue::Event> first_event() const;
  // Whether requeueAt was set at any time since the last eviction.
  bool requeue_at_set() const { return requeue_at_set_; }
  bool blocks_admission() const {
    return settings_.has_value() && settings_->block_admission;
  }
  // Whether the clock that runs now is one a test waits for: some seconds, not
  // the minutes that are there not to run out.
  bool RunsOutSoon() const;

  void MoveTo(absl::Time now) { now_ = std::max(now_, now); }
  void Admit();
  void BecomeReady();
  void LoseReadiness();
  // The clock that runs runs out, and all follows from that.
  void TimeOut();
  // The same without waiting for the end of the backoff.
  void TimeOutOnly();
  void SetActive(bool active);
  // All that follows without anybody's doing.
  void Settle();

 private:
  kueue::WorkloadStatus& status() { return *workload_.mutable_status(); }
  void Pass();

  kueue::Workload workload_;
  const std::optional<kueue::WaitForPodsReady> settings_;
  const kueue::Gates gates_;
  const bool pod_group_;
  absl::Time now_;
  std::vector<kueue::EvictionReport> reports_;
  std::vector<kueue::Event> events_;
  bool requeue_at_set_ = false;
};

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_LIFE_H_
