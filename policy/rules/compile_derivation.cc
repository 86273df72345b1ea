#include <cstdint>
#include <string>

#include "policy/base/checks.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {

namespace {

// Thresholds on what other workloads did; their counts have no small bound.
void TakeFleet(const v1::Derivation& derivation, IssueReporter& report,
               CompiledDerivation& compiled) {
  const auto take = [&report](bool given, std::int32_t value, std::int32_t low,
                              const char* field, std::int32_t& target) {
    if (given && CheckRange(value, low, kMaxRecentCount,
                            std::string("spec.derivation.") + field, report)) {
      target = value;
    }
  };
  take(derivation.has_bad_node_workloads(), derivation.bad_node_workloads(), 0,
       "badNodeWorkloads", compiled.bad_node_workloads);
  take(derivation.has_incident_workloads(), derivation.incident_workloads(), 0,
       "incidentWorkloads", compiled.incident_workloads);
  take(derivation.has_incident_retries(), derivation.incident_retries(), 1,
       "incidentRetries", compiled.incident_retries);
  if (!derivation.has_incident_share()) return;
  if (CheckFactor(derivation.incident_share(), 0, 1,
                  "spec.derivation.incidentShare", report)) {
    compiled.incident_share = derivation.incident_share();
  }
}

}  // namespace

CompiledDerivation CompileDerivation(const v1::Derivation& derivation,
                                     IssueReporter& report) {
  CompiledDerivation compiled;
  // A ledger never holds more than kMaxHistory failures: larger thresholds
  // could not be met.
  const auto take = [&report](bool given, std::int32_t value, const char* field,
                              std::int32_t& target) {
    if (given && CheckRange(value, 0, kMaxHistory,
                            std::string("spec.derivation.") + field, report)) {
      target = value;
    }
  };
  take(derivation.has_same_fingerprint(), derivation.same_fingerprint(),
       "sameFingerprint", compiled.same_fingerprint);
  take(derivation.has_distinct_nodes(), derivation.distinct_nodes(),
       "distinctNodes", compiled.distinct_nodes);
  take(derivation.has_same_artifact(), derivation.same_artifact(),
       "sameArtifact", compiled.same_artifact);
  take(derivation.has_crash_loop_failures(), derivation.crash_loop_failures(),
       "crashLoopFailures", compiled.crash_loop_failures);
  take(derivation.has_bad_node_failures(), derivation.bad_node_failures(),
       "badNodeFailures", compiled.bad_node_failures);
  take(derivation.has_poison_nodes(), derivation.poison_nodes(), "poisonNodes",
       compiled.poison_nodes);
  TakeFleet(derivation, report, compiled);
  if (derivation.has_crash_loop_window()) {
    compiled.crash_loop_window =
        CheckDuration(derivation.crash_loop_window(),
                      "spec.derivation.crashLoopWindow", report);
  }
  return compiled;
}

}  // namespace mulligan
