// Parts of ImportPasted (policy/native.h), one function for each operator.
#ifndef MULLIGAN_POLICY_NATIVE_IMPORT_IMPORT_H_
#define MULLIGAN_POLICY_NATIVE_IMPORT_IMPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/native.h"
#include "policy/native/go_text.h"

namespace mulligan {

// Limit for retries that the operator does not bound.
inline constexpr std::int64_t kUnboundedLimit = 10000;

// Budget of failures that the operator does not count.
inline constexpr char kUncountedBudget[] = "uncounted";

// One operator each, in the file of its name. `path` is that of the block.
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

// Helpers for these.

v1::Outcome RetryOutcome(v1::Decision::Scope scope, std::string budget);
v1::Outcome FailOutcome(v1::Decision::Scope scope);

// Adds a budget that fails at `scope` when it is used up. A limit above
// kUnboundedLimit is reduced to it, with a warning.
void AddImportedBudget(const std::string& name, std::int64_t limit,
                       v1::Decision::Scope scope, const std::string& path,
                       Import& into, IssueReporter& report);

// Adds once the budget for `what`, which the operator does not bound.
void AddUnboundedBudget(const std::string& name, v1::Decision::Scope scope,
                        const std::string& path, const std::string& what,
                        Import& into, IssueReporter& report);

// Warns "not carried over: `why`".
void NotCarriedOver(const std::string& path, const std::string& why,
                    IssueReporter& report);

// A part of a block that is not carried over if it is given.
struct LeftOut {
  bool given;
  // Path below the block: ".activeDeadlineSeconds".
  std::string_view field;
  std::string_view why;
};
void WarnOfLeftOut(const std::vector<LeftOut>& parts, const std::string& path,
                   IssueReporter& report);

// Reports the operator's refusals, each at its field.
void ReportRefusals(const FieldErrors& refusals, IssueReporter& report);

// Reports the operator's refusals and warnings ("field: text"). Their fields
// start with `root` ("spec"), which was pasted at `path`.
void ReportObjectIssues(const FieldErrors& refusals,
                        const std::vector<std::string>& warnings,
                        const std::string& root, const std::string& path,
                        IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_IMPORT_IMPORT_H_
