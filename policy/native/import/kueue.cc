// waitForPodsReady of Kueue's configuration.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/native/import/import.h"
#include "policy/native/kueue/settings.h"

namespace mulligan {
namespace kueue {
namespace {

constexpr char kRequeuing[] = "backoff-limit-count";

WaitForPodsReadyConfig ConfigOf(const v1::KueueWaitForPodsReady& pasted) {
  WaitForPodsReadyConfig config;
  if (pasted.has_timeout()) config.timeout = ToDuration(pasted.timeout());
  if (pasted.has_recovery_timeout()) {
    config.recovery_timeout = ToDuration(pasted.recovery_timeout());
  }
  const v1::KueueRequeuingStrategy& strategy = pasted.requeuing_strategy();
  if (strategy.has_timestamp()) config.timestamp = strategy.timestamp();
  if (strategy.has_backoff_limit_count()) {
    config.backoff_limit_count = strategy.backoff_limit_count();
  }
  if (strategy.has_backoff_base_seconds()) {
    config.backoff_base_seconds = strategy.backoff_base_seconds();
  }
  if (strategy.has_backoff_max_seconds()) {
    config.backoff_max_seconds = strategy.backoff_max_seconds();
  }
  return config;
}

void WarnOfUnusedFields(const v1::KueueWaitForPodsReady& pasted,
                        const std::string& path, IssueReporter& report) {
  constexpr std::string_view kWhy =
      "when Kueue evicts and whom it admits is up to Kueue; a policy says what "
      "becomes of an eviction";
  WarnOfLeftOut({{pasted.has_timeout(), ".timeout", kWhy},
                 {pasted.has_recovery_timeout(), ".recoveryTimeout", kWhy},
                 {pasted.has_block_admission(), ".blockAdmission", kWhy},
                 {pasted.requeuing_strategy().timestamp() == "Creation",
                  ".requeuingStrategy.timestamp", kWhy}},
                path, report);
}

void AddDelay(const Backoff& wait, const std::string& path,
              v1::Outcome& outcome, IssueReporter& report) {
  if (wait.base <= absl::ZeroDuration()) return;
  v1::Backoff& backoff = *outcome.mutable_backoff();
  SetDuration(wait.base, *backoff.mutable_initial());
  SetDuration(std::max(wait.base, EffectiveCap(wait)), *backoff.mutable_max());
  backoff.set_factor(kBackoffFactor);
  backoff.set_jitter(kBackoffJitter);
  if (EffectiveCap(wait) < wait.base) {
    NotCarriedOver(path + ".backoffMaxSeconds",
                   "it is shorter than backoffBaseSeconds, which Kueue waits "
                   "before the first requeue only; here before each",
                   report);
  }
}

}  // namespace
}  // namespace kueue

void ImportKueue(const Pasted& all, const std::string& path, Import& into,
                 IssueReporter& report) {
  using namespace kueue;  // NOLINT(google-build-using-namespace)
  const v1::KueueWaitForPodsReady& pasted = all.blocks.kueue();
  WarnOfUnusedFields(pasted, path, report);
  if (pasted.has_enable() && !pasted.enable()) return;
  const WaitForPodsReadyConfig config = ConfigOf(pasted);
  const FieldErrors refusals = ValidateWaitForPodsReady(config);
  ReportObjectIssues(refusals, {}, "waitForPodsReady", path, report);
  if (!refusals.empty()) return;
  const WaitForPodsReady wait = Effective(config);
  const std::string strategy_path = path + ".requeuingStrategy";
  if (wait.backoff_limit_count.has_value()) {
    AddImportedBudget(kRequeuing, *wait.backoff_limit_count,
                      v1::Decision::WORKLOAD,
                      strategy_path + ".backoffLimitCount", into, report);
  } else {
    AddUnboundedBudget(kRequeuing, v1::Decision::WORKLOAD, path,
                       "without backoffLimitCount Kueue requeues", into,
                       report);
  }
  v1::Rule rule;
  rule.set_name("pods-ready-timeout");
  v1::ConditionPattern& evicted = *rule.mutable_when()->add_conditions();
  evicted.set_type("Evicted");
  evicted.set_status("True");
  evicted.set_reason("PodsReadyTimeout");
  v1::Outcome& outcome = *rule.mutable_then();
  outcome = RetryOutcome(v1::Decision::WORKLOAD, kRequeuing);
  outcome.set_queue(v1::Decision::REQUEUE);
  AddDelay(wait.backoff, strategy_path, outcome, report);
  into.rules.push_back({std::move(rule), strategy_path});
}

}  // namespace mulligan
