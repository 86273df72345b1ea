#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/import/import.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {
namespace {

// What the operator's own spec says instead.
void RefuseOwnVerdicts(const v1::RetryPolicySpec& spec, IssueReporter& report) {
  const auto refuse = [&report](bool given, const char* field) {
    if (given) {
      report.Error(absl::StrFormat("spec.%s", field),
                   absl::StrFormat("%s has no say with native.useOwnSpec: the "
                                   "workload's own operator decides",
                                   field));
    }
  };
  refuse(!spec.budgets().empty(), "budgets");
  refuse(spec.has_max_attempts(), "maxAttempts");
  refuse(!spec.rules().empty(), "rules");
  refuse(spec.has_default_(), "default");
  refuse(spec.has_kill_switch(), "killSwitch");
  refuse(spec.compare_native(), "compareNative");
  refuse(spec.has_pasted(), "pasted");
}

}  // namespace

std::unique_ptr<const CompiledNative> CompileNative(
    const v1::RetryPolicySpec& spec, IssueReporter& report) {
  if (!spec.has_native() && !spec.compare_native()) return nullptr;
  auto compiled = std::make_unique<CompiledNative>();
  compiled->decides = spec.native().use_own_spec();
  compiled->compares = spec.compare_native();
  compiled->semantics = spec.native().semantics();
  if (compiled->decides) RefuseOwnVerdicts(spec, report);
  CheckSemantics(compiled->semantics, "spec.native.semantics", report);
  return compiled;
}

}  // namespace mulligan
