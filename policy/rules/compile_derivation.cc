#include <cstdint>
#include <string>

#include "policy/base/checks.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {

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
  take(derivation.has_crash_loop_failures(), derivation.crash_loop_failures(),
       "crashLoopFailures", compiled.crash_loop_failures);
  take(derivation.has_bad_node_failures(), derivation.bad_node_failures(),
       "badNodeFailures", compiled.bad_node_failures);
  take(derivation.has_poison_nodes(), derivation.poison_nodes(), "poisonNodes",
       compiled.poison_nodes);
  if (derivation.has_crash_loop_window()) {
    compiled.crash_loop_window =
        CheckDuration(derivation.crash_loop_window(),
                      "spec.derivation.crashLoopWindow", report);
  }
  return compiled;
}

}  // namespace mulligan
