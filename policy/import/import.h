// From an operator's own retry settings, pasted into a policy, to rules and
// budgets of this policy language.
#ifndef MULLIGAN_POLICY_IMPORT_IMPORT_H_
#define MULLIGAN_POLICY_IMPORT_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/native_policy.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/operators/go_text.h"

namespace mulligan {

// What the operators have no bound for ends here; more is no bound in
// practice.
inline constexpr std::int64_t kLimitOfTheUnbounded = 10000;

// The budget of failures that the operator does not count.
inline constexpr char kUncountedBudget[] = "uncounted";

// What a block becomes. Paths name the part of the block that something comes
// from: "spec.pasted.job.podFailurePolicy.rules[0]".
struct Import {
  struct Rule {
    v1::Rule rule;
    std::string path;
  };
  struct Budget {
    std::string name;
    v1::Budget budget;
    std::string path;
  };

  std::vector<Rule> rules;
  std::vector<Budget> budgets;
  // What to do when no rule matches; absent: the block does not say.
  std::optional<v1::Outcome> fallback;
  std::string fallback_path;
};

// What was pasted, and how the operators it is for are set up.
struct Pasted {
  const v1::PastedBlocks& blocks;
  const v1::NativeSemantics& semantics;
  // For patterns in the blocks.
  PatternAllowance& allowance;
};

// Translates every pasted block, in the order outermost operator first.
// Reports what is refused (errors) and what cannot be carried over (warnings).
Import ImportPasted(const Pasted& pasted, IssueReporter& report);

// What a policy says about the set-up of operators, checked when it is loaded
// instead of with the first failure. Reports, below `path`: operators, versions
// keys and settings that nobody reads as errors; releases and values that are
// passed over, and feature gates that change nothing here, as warnings.
void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report);

// One operator each, in the file of its name. `path` is the block's.
void ImportJob(const Pasted& pasted, const std::string& path, Import& into,
               IssueReporter& report);
void ImportJobSet(const Pasted& pasted, const std::string& path, Import& into,
                  IssueReporter& report);
void ImportRayJob(const Pasted& pasted, const std::string& path, Import& into,
                  IssueReporter& report);
void ImportKubeflowJob(const Pasted& pasted, const std::string& path,
                       Import& into, IssueReporter& report);
void ImportFlyte(const Pasted& pasted, const std::string& path, Import& into,
                 IssueReporter& report);
void ImportKueue(const Pasted& pasted, const std::string& path, Import& into,
                 IssueReporter& report);

// Parts for these.

v1::Outcome RetryOutcome(v1::Decision::Scope scope, std::string budget);
v1::Outcome FailOutcome(v1::Decision::Scope scope);

// Adds a budget that fails at `scope` when it is used up. A limit beyond what
// budgets take is cut, with a warning.
void AddImportedBudget(const std::string& name, std::int64_t limit,
                       v1::Decision::Scope scope, const std::string& path,
                       Import& into, IssueReporter& report);

// Adds the budget for `what`, which the operator has no bound for, once.
void AddUnboundedBudget(const std::string& name, v1::Decision::Scope scope,
                        const std::string& path, const std::string& what,
                        Import& into, IssueReporter& report);

// "not carried over: `why`", a warning.
void NotCarriedOver(const std::string& path, const std::string& why,
                    IssueReporter& report);

// A part of a block that is not carried over where it is given.
struct LeftOut {
  bool given;
  // Below the block: ".activeDeadlineSeconds".
  std::string_view field;
  std::string_view why;
};
void WarnOfLeftOut(const std::vector<LeftOut>& parts, const std::string& path,
                   IssueReporter& report);

// Refusals of the operator, each at its field.
void ReportRefusals(const FieldErrors& refusals, IssueReporter& report);

// Refusals and warnings ("field: text") of the operator, whose checks call
// `root` ("spec") what is pasted at `path`.
void ReportObjectIssues(const FieldErrors& refusals,
                        const std::vector<std::string>& warnings,
                        const std::string& root, const std::string& path,
                        IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_IMPORT_IMPORT_H_
