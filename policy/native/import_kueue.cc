// waitForPodsReady of Kueue's configuration.
#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/native/import.h"

namespace mulligan {
namespace {

constexpr char kRequeuing[] = "requeuing";
constexpr std::int64_t kDefaultBaseSeconds = 60;
constexpr std::int64_t kDefaultMaxSeconds = 3600;
// Share of the delay that Kueue adds at random.
constexpr double kJitter = 0.0001;

void Refuse(const v1::KueueRequeuingStrategy& strategy, const std::string& path,
            IssueReporter& report) {
  FieldErrors refusals;
  const std::string& timestamp = strategy.timestamp();
  if (!timestamp.empty() && timestamp != "Eviction" &&
      timestamp != "Creation") {
    refusals.push_back(NotSupportedError(path + ".timestamp", timestamp,
                                         {"Creation", "Eviction"}));
  }
  CheckNonNegative(path + ".backoffLimitCount", strategy.backoff_limit_count(),
                   refusals);
  CheckNonNegative(path + ".backoffBaseSeconds",
                   strategy.backoff_base_seconds(), refusals);
  CheckNonNegative(path + ".backoffMaxSeconds", strategy.backoff_max_seconds(),
                   refusals);
  ReportRefusals(refusals, report);
}

void AddDelay(const v1::KueueRequeuingStrategy& strategy,
              v1::Outcome& outcome) {
  const std::int64_t most = strategy.has_backoff_max_seconds()
                                ? strategy.backoff_max_seconds()
                                : kDefaultMaxSeconds;
  const std::int64_t base = strategy.has_backoff_base_seconds()
                                ? strategy.backoff_base_seconds()
                                : kDefaultBaseSeconds;
  const std::int64_t first = std::min(base, most);
  if (first <= 0) return;
  v1::Backoff& backoff = *outcome.mutable_backoff();
  backoff.mutable_initial()->set_seconds(first);
  backoff.mutable_max()->set_seconds(most);
  backoff.set_factor(2);
  backoff.set_jitter(kJitter);
}

}  // namespace

void ImportKueue(const v1::NativePolicy& native, const std::string& path,
                 Import& into, IssueReporter& report) {
  const v1::KueueWaitForPodsReady& wait = native.kueue();
  for (const auto& [given, field] :
       {std::pair(wait.has_timeout(), ".timeout"),
        std::pair(wait.has_recovery_timeout(), ".recoveryTimeout"),
        std::pair(wait.block_admission(), ".blockAdmission")}) {
    if (!given) continue;
    NotCarriedOver(path + field,
                   "when Kueue evicts and admits is up to Kueue; a policy says "
                   "what happens then",
                   report);
  }
  if (wait.has_enable() && !wait.enable()) return;
  const v1::KueueRequeuingStrategy& strategy = wait.requeuing_strategy();
  const std::string strategy_path = path + ".requeuingStrategy";
  Refuse(strategy, strategy_path, report);
  if (strategy.timestamp() == "Creation") {
    NotCarriedOver(strategy_path + ".timestamp",
                   "the order of the queue is up to Kueue", report);
  }
  if (strategy.has_backoff_limit_count()) {
    AddImportedBudget(kRequeuing, strategy.backoff_limit_count(), v1::WORKLOAD,
                      strategy_path + ".backoffLimitCount", into, report);
  } else {
    AddUnboundedBudget(kRequeuing, v1::WORKLOAD, path,
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
  outcome = RetryOutcome(v1::WORKLOAD, kRequeuing);
  outcome.set_queue(v1::REQUEUE);
  AddDelay(strategy, outcome);
  into.rules.push_back({std::move(rule), strategy_path});
}

}  // namespace mulligan
