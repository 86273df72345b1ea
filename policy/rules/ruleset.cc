#include "policy/rules/ruleset.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/issue.h"
#include "policy/limits.h"
#include "policy/native.h"
#include "policy/rules/compile_outcome.h"
#include "policy/rules/compile_parts.h"
#include "policy/rules/compile_when.h"
#include "policy/rules/compiled_policy.h"
#include "policy/rules/lint.h"

namespace mulligan {
namespace {

void CheckHeader(const v1::RetryPolicy& policy, IssueReporter& report) {
  const auto expect = [&report](const std::string& value, const char* expected,
                                const char* path) {
    if (value != expected) {
      report.Error(path,
                   absl::StrFormat("\"%s\", expected %s", value, expected));
    }
  };
  expect(policy.api_version(), "mulligan.dev/v1", "apiVersion");
  expect(policy.kind(), "RetryPolicy", "kind");
  const std::string& name = policy.metadata().name();
  if (!IsDnsLabel(name)) {
    report.Error(
        "metadata.name",
        absl::StrFormat(
            "%s, expected lower-case letters, digits and '-', at "
            "most 63 characters",
            name.empty() ? "name is missing"
                         : absl::StrFormat("\"%s\" is no policy name", name)));
  }
}

v1::RuleReference Reference(const v1::RetryPolicy& policy,
                            const SourceMap& positions, const std::string& rule,
                            const std::string& path) {
  const Position position = positions.Find(path);
  v1::RuleReference reference;
  reference.set_policy(policy.metadata().name());
  reference.set_rule(rule);
  reference.set_file(positions.file());
  reference.set_line(position.line);
  reference.set_column(position.column);
  return reference;
}

void CheckRuleName(const std::string& name, const std::string& path,
                   std::set<std::string>& seen, IssueReporter& report) {
  const bool printable = std::ranges::all_of(
      name, [](unsigned char c) { return c > 0x20 && c != 0x7f; });
  if (name.empty()) {
    report.Error(path + ".name",
                 absl::StrFormat("name is missing, expected 1 to %d characters "
                                 "without spaces",
                                 kMaxRuleNameBytes));
  } else if (name.size() > kMaxRuleNameBytes || !printable) {
    report.Error(path + ".name",
                 absl::StrFormat("\"%s\" is no rule name, expected 1 to %d "
                                 "characters without spaces",
                                 name, kMaxRuleNameBytes));
  } else if (name == "default") {
    report.Error(path + ".name", "\"default\" stands for the policy's default");
  } else if (!seen.insert(name).second) {
    report.Error(
        path + ".name",
        absl::StrFormat("another rule is called \"%s\" already", name));
  }
}

void CompileRules(const v1::RetryPolicy& policy, const SourceMap& positions,
                  PatternAllowance& allowance, CompiledPolicy& compiled,
                  IssueReporter& report) {
  const v1::RetryPolicySpec& spec = policy.spec();
  if (spec.rules_size() > kMaxRules) {
    report.Error("spec.rules",
                 absl::StrCat("has ", spec.rules_size(),
                              " rules, expected at most ", kMaxRules));
    return;
  }
  std::set<std::string> names;
  for (int i = 0; i < spec.rules_size(); ++i) {
    const v1::Rule& rule = spec.rules(i);
    const std::string path = absl::StrCat("spec.rules[", i, "]");
    CheckRuleName(rule.name(), path, names, report);
    CompiledRule& entry = compiled.rules.emplace_back();
    entry.reference = Reference(policy, positions, rule.name(), path);
    if (rule.has_when()) {
      entry.when = CompileWhen(rule.when(), path + ".when", allowance, report);
    } else {
      report.Error(path + ".when",
                   "when is missing: the rule would match everything; that is "
                   "what default is for");
    }
    if (rule.has_then()) {
      entry.then =
          CompileOutcome(rule.then(), compiled.budgets, path + ".then", report);
    } else {
      report.Error(path + ".then",
                   "then is missing, expected what to do, for example {action: "
                   "FAIL}");
    }
  }
}

std::vector<std::vector<int>> RulesByCause(
    const std::vector<CompiledRule>& rules) {
  std::vector<std::vector<int>> of(v1::Cause_ARRAYSIZE);
  for (int i = 0; i < static_cast<int>(rules.size()); ++i) {
    rules[static_cast<std::size_t>(i)].when.causes.ForEach([&](int cause) {
      // Without `causes` all bits are set.
      if (cause < v1::Cause_ARRAYSIZE) {
        of[static_cast<std::size_t>(cause)].push_back(i);
      }
    });
  }
  return of;
}

void CompileCaps(const v1::RetryPolicySpec& spec, CompiledPolicy& compiled,
                 IssueReporter& report) {
  compiled.max_attempts = ImpliedMaxAttempts(compiled.budgets);
  if (spec.has_max_attempts() &&
      CheckRange(spec.max_attempts(), 1,
                 std::numeric_limits<std::int32_t>::max(), "spec.maxAttempts",
                 report)) {
    compiled.max_attempts = spec.max_attempts();
    compiled.max_attempts_given = true;
  }
  compiled.kill_switch = spec.kill_switch().enabled();
  compiled.kill_switch_reason = spec.kill_switch().reason();
}

void CheckSelector(const v1::RetryPolicySpec& spec, IssueReporter& report) {
  const v1::Selector& selector = spec.selector();
  if (spec.only_by_name() && spec.has_selector()) {
    report.Error("spec.onlyByName",
                 "goes with no selector: the policy is never selected");
  }
  const auto check = [&report](const auto& values, const char* field) {
    if (values.size() > kMaxListEntries) {
      report.Error(
          absl::StrCat("spec.selector.", field),
          absl::StrCat("has ", values.size(), " entries, expected at most ",
                       kMaxListEntries));
    }
    for (int i = 0; i < values.size(); ++i) {
      if (values[i].empty()) {
        report.Error(absl::StrCat("spec.selector.", field, "[", i, "]"),
                     "is empty");
      }
    }
  };
  check(selector.kinds(), "kinds");
  check(selector.namespaces(), "namespaces");
  check(selector.names(), "names");
}

void CompileSignatures(const v1::RetryPolicy& policy,
                       const SourceMap& positions, PatternAllowance& allowance,
                       CompiledPolicy& compiled, Issues& issues) {
  if (policy.spec().signatures().empty()) return;
  compiled.signatures = UserSignatures::Create(
      policy.metadata().name(), policy.spec(), positions, allowance, issues);
}

// The position of a list's end is unknown, so issues are sorted by line.
void SortByPosition(Issues& issues, std::size_t first) {
  std::stable_sort(issues.begin() + static_cast<std::ptrdiff_t>(first),
                   issues.end(), [](const Issue& a, const Issue& b) {
                     return std::pair(a.position.line, a.position.column) <
                            std::pair(b.position.line, b.position.column);
                   });
}

}  // namespace

Ruleset::Ruleset(v1::RetryPolicy source, SourceMap positions,
                 CompiledPolicy compiled)
    : source_(std::move(source)),
      positions_(std::move(positions)),
      compiled_(std::move(compiled)) {}

std::unique_ptr<const Ruleset> Ruleset::Compile(v1::RetryPolicy policy,
                                                SourceMap positions,
                                                Issues& issues,
                                                PatternAllowance& allowance) {
  const std::size_t first_issue = issues.size();
  IssueReporter report(positions, issues);
  CompiledPolicy compiled;
  CheckHeader(policy, report);
  std::optional<v1::RetryPolicy> expanded;
  if (policy.spec().has_pasted() && !policy.spec().native().use_own_spec()) {
    expanded = policy;
    ExpandPasted(*expanded->mutable_spec(), positions, allowance, report);
  }
  const v1::RetryPolicy& whole = expanded.has_value() ? *expanded : policy;
  const v1::RetryPolicySpec& spec = whole.spec();
  CheckSelector(spec, report);
  compiled.selector = CompileSelector(spec.selector());
  compiled.budgets = CompileBudgets(spec, report);
  CompileRules(whole, positions, allowance, compiled, report);
  compiled.rules_of = RulesByCause(compiled.rules);
  compiled.native = CompileNative(spec, report);
  const bool decides_natively = compiled.native && compiled.native->decides;
  if (spec.has_default_()) {
    compiled.fallback = CompileOutcome(spec.default_(), compiled.budgets,
                                       "spec.default", report);
  } else if (!decides_natively) {
    report.Error("spec.default",
                 "default is missing: no verdict is implied; expected what to "
                 "do when no rule matches");
  }
  compiled.fallback_reference =
      Reference(whole, positions, "default", "spec.default");
  CompileCaps(spec, compiled, report);
  if (decides_natively) compiled.max_attempts = 0;
  compiled.derivation = CompileDerivation(spec.derivation(), report);
  compiled.brake = CompileBrake(spec.brake(), report);
  compiled.worth = CompileWorth(spec.worth(), report);
  CompileSignatures(whole, positions, allowance, compiled, issues);
  const bool usable = report.errors() == 0 && (spec.signatures().empty() ||
                                               compiled.signatures != nullptr);
  if (usable) LintPolicy(whole, compiled, report);
  SortByPosition(issues, first_issue);
  if (!usable) return nullptr;
  return std::unique_ptr<const Ruleset>(new Ruleset(
      std::move(policy), std::move(positions), std::move(compiled)));
}

}  // namespace mulligan
