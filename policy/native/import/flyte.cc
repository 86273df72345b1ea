// Settings of a Flyte task and of propeller.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/native/import/import.h"

namespace mulligan {
namespace {

constexpr char kRetries[] = "retries";
constexpr char kSystemRetries[] = "max-node-retries-system-failures";

constexpr std::int32_t kDefaultSystemRetries = 3;
constexpr std::int32_t kDefaultThreshold = -1;

// Sets where the attempt after at most `limit` platform failures runs. The
// threshold counts such failures, from the end if negative.
void AddSpotRule(const v1::FlyteRetries& flyte, std::int64_t limit,
                 const std::string& path, v1::Outcome& outcome,
                 IssueReporter& report) {
  if (!flyte.interruptible()) return;
  const std::int64_t threshold = flyte.has_interruptible_failure_threshold()
                                     ? flyte.interruptible_failure_threshold()
                                     : kDefaultThreshold;
  if (threshold == 0) return;
  if (threshold > 0) {
    outcome.mutable_placement()->set_on_demand_after(CountOf(threshold));
  } else if (-threshold > limit + 1) {
    report.Warn(path + ".interruptible-failure-threshold",
                absl::StrFormat("%d is beyond the %d attempts there are; "
                                "propeller's counter wraps round and the task "
                                "stays on spot capacity for ever",
                                threshold, limit + 1));
  } else {
    outcome.mutable_placement()->set_on_demand_for_last(CountOf(-threshold));
  }
}

void Refuse(const v1::FlyteRetries& flyte, const std::string& path,
            IssueReporter& report) {
  FieldErrors refusals;
  CheckNonNegative(path + ".retries", flyte.retries(), refusals);
  CheckNonNegative(path + ".default-max-attempts", flyte.default_max_attempts(),
                   refusals);
  CheckNonNegative(path + ".max-node-retries-system-failures",
                   flyte.max_node_retries_system_failures(), refusals);
  ReportRefusals(refusals, report);
}

// 0 retries mean the platform's number of attempts.
std::int64_t UserRetries(const v1::FlyteRetries& flyte) {
  if (flyte.retries() > 0) return flyte.retries();
  return std::max<std::int64_t>(flyte.default_max_attempts() - 1, 0);
}

v1::Rule PermanentRule() {
  v1::Rule rule;
  rule.set_name("permanent");
  for (const v1::Cause cause : {v1::IMAGE_INVALID, v1::CREATE_REJECTED,
                                v1::CONFIG_MISSING, v1::DECLARED_FATAL}) {
    rule.mutable_when()->add_causes(cause);
  }
  *rule.mutable_then() = FailOutcome(v1::Decision::WORKLOAD);
  return rule;
}

v1::Rule SystemRule() {
  v1::Rule rule;
  rule.set_name("system-failure");
  for (const v1::Diagnosis::FaultDomain domain :
       {v1::Diagnosis::DISRUPTION, v1::Diagnosis::INFRASTRUCTURE,
        v1::Diagnosis::CONTROL_PLANE}) {
    rule.mutable_when()->add_fault_domains(domain);
  }
  *rule.mutable_then() = RetryOutcome(v1::Decision::POD, kSystemRetries);
  return rule;
}

}  // namespace

void ImportFlyte(const Pasted& pasted, const std::string& path, Import& into,
                 IssueReporter& report) {
  const v1::FlyteRetries& flyte = pasted.blocks.flyte();
  Refuse(flyte, path, report);
  NotCarriedOver(path,
                 "whom Flyte blames for each reason; here fault domains "
                 "separate the platform's failures from the task's",
                 report);
  if (flyte.has_timeout()) {
    NotCarriedOver(path + ".timeout",
                   "a policy has no deadline; propeller keeps that of the task",
                   report);
  }
  const std::int64_t retries = UserRetries(flyte);
  AddImportedBudget(kRetries, retries, v1::Decision::WORKLOAD,
                    path + ".retries", into, report);
  into.rules.push_back({PermanentRule(), path});
  into.fallback = RetryOutcome(v1::Decision::POD, kRetries);
  into.fallback_path = path + ".retries";
  if (flyte.ignore_retry_cause()) {
    return AddSpotRule(flyte, retries, path, *into.fallback, report);
  }
  const std::string system_path = path + ".max-node-retries-system-failures";
  const std::int64_t system_retries =
      flyte.has_max_node_retries_system_failures()
          ? flyte.max_node_retries_system_failures()
          : kDefaultSystemRetries;
  AddImportedBudget(kSystemRetries, system_retries, v1::Decision::WORKLOAD,
                    system_path, into, report);
  v1::Rule rule = SystemRule();
  AddSpotRule(flyte, system_retries, path, *rule.mutable_then(), report);
  into.rules.push_back({std::move(rule), system_path});
}

}  // namespace mulligan
