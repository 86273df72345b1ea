#include "client/conformance/kueue_life.h"

#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "policy/native/kueue_conditions.h"
#include "policy/native/kueue_pod_group.h"
#include "policy/native/kueue_pods_ready.h"
#include "policy/native/kueue_reconcile.h"
#include "policy/native/kueue_release.h"
#include "policy/native/kueue_requeue.h"

namespace mulligan::conformance {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(1);
// For how long Kueue's tests wait for something to happen.
constexpr absl::Duration kPatience = absl::Minutes(1);

}  // namespace

std::optional<kueue::Event> KueueLife::first_event() const {
  if (events_.empty()) return std::nullopt;
  return events_.front();
}

bool KueueLife::RunsOutSoon() const {
  const kueue::ReadinessClock clock =
      kueue::ClockOf(workload_.status(), settings_, now_);
  return !clock.cause.empty() && clock.remaining < kPatience;
}

void KueueLife::Admit() {
  now_ += kMoment;
  kueue::ReserveQuota("cq", now_, status());
  kueue::SetPodsReady(false, now_, status());
}

void KueueLife::BecomeReady() {
  now_ += kMoment;
  kueue::SetPodsReady(true, now_, status());
}

void KueueLife::LoseReadiness() {
  now_ += kMoment;
  kueue::SetPodsReady(false, now_, status());
}

void KueueLife::TimeOut() {
  if (!settings_.has_value()) return;
  now_ += kueue::ClockOf(status(), settings_, now_).remaining;
  Pass();
  Settle();
}

void KueueLife::TimeOutOnly() {
  if (!settings_.has_value()) return;
  now_ += kueue::ClockOf(status(), settings_, now_).remaining;
  Pass();
  kueue::ReleaseQuota(/*single_pod=*/false, gates_, now_, status());
}

void KueueLife::SetActive(bool active) {
  workload_.mutable_spec()->set_active(active);
  now_ += kMoment;
  Settle();
}

void KueueLife::Settle() {
  kueue::Settled settled = kueue::Settle(
      {workload_, settings_, std::nullopt, std::nullopt, gates_, now_},
      /*single_pod=*/false);
  workload_ = std::move(settled.workload);
  now_ = settled.now;
  requeue_at_set_ |= settled.requeue_at_set;
  for (auto& report : settled.reports) reports_.push_back(std::move(report));
  for (auto& event : settled.events) events_.push_back(std::move(event));
  if (kueue::IsAdmitted(status())) return;
  kueue::SetPodsReady(false, now_, status());
  if (pod_group_ && kueue::IsEvicted(status())) {
    kueue::SetWaitingForReplacement(true, now_, status());
  }
}

void KueueLife::Pass() {
  kueue::Pass pass = kueue::Reconcile(
      {workload_, settings_, std::nullopt, std::nullopt, gates_, now_});
  requeue_at_set_ = kueue::RequeueAt(pass.workload.status()).has_value();
  if (pass.report.has_value()) reports_.push_back(*pass.report);
  for (auto& event : pass.events) events_.push_back(std::move(event));
  workload_ = std::move(pass.workload);
}

}  // namespace mulligan::conformance
