// The core's interface to the operators' own retry rules. The library
// policy/native implements it; a build without it (MULLIGAN_NATIVE=OFF) links
// policy/without_native.cc and decides without these rules.
#ifndef MULLIGAN_POLICY_NATIVE_H_
#define MULLIGAN_POLICY_NATIVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/native_policy.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"

namespace mulligan {

// The input of an operator's rules. `now` is report.observed_at.
struct NativeInput {
  const v1::FailureReport& report;
  const v1::BudgetLedger& ledger;
  const v1::NativeSemantics& semantics;
  google::protobuf::Timestamp now;
  // For patterns in the objects; null means a new allowance.
  PatternAllowance* patterns = nullptr;
};

// One operator's answer, in its own terms and in Mulligan's.
struct NativeOutcome {
  v1::NativeVerdict verdict;
  // The verdict in Mulligan's terms, with counts of any size.
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  v1::Decision::Scope scope = v1::Decision::SCOPE_UNSPECIFIED;
  v1::Decision::Queue queue = v1::Decision::QUEUE_UNSPECIFIED;
  // The operator's budget that pays, for example "backoffLimit"; empty if the
  // failure is not counted. `used`, which includes this failure, and `limit`
  // are numbers of tolerated failures.
  std::string charged_to;
  std::int64_t used = 0;
  std::int64_t limit = 0;
  // For RETRY: the operator moves the workload to capacity that is not
  // interrupted (Flyte's last attempts).
  bool on_demand = false;
  // Errors of the API server or a webhook, each "report.jobs[0].spec.x: why".
  // The operator never sees such an object; the verdict is what it would do.
  std::vector<std::string> refusals;
  // What was not understood: newer fields, missing objects.
  std::vector<std::string> warnings;
};

// Returns what the operator of the reported workload does about the failure;
// empty if the report has no object of a known operator.
//
// The outermost operator that does something answers: a JobSet before its
// child Jobs, a TrainJob before its JobSet. If an operator does nothing yet
// ("None"), the next inner operator answers, and a warning is added. The search
// starts at `report.workload.kind` if it is given. If `semantics.operator` is
// given, only that operator is asked.
std::optional<NativeOutcome> AnswerNatively(const NativeInput& input);

// Returns what restarts the failed work by itself, as a phrase; empty if
// nothing does. Judges by the rules of the workload's operator and a limit
// stated in its object, as if the operator had seen the end of `pod`; -1 means
// no particular pod. Queues and Flyte's engine do not count; other code covers
// them. If the report lacks the pod's owner, judges by whether the owner has
// replaced a failed pod before.
std::string RetriesByItself(const NativeInput& input, int pod);

// Returns "kueue, flyte, ...", the values of NativeSemantics.operator.
std::string NativeOperatorNames();

// An operator's retry settings, pasted into a policy, as rules and budgets of
// the policy language. Paths name the part of the block that each comes from:
// "spec.pasted.job.podFailurePolicy.rules[0]".
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
  // The outcome if no rule matches; absent if the block has none.
  std::optional<v1::Outcome> fallback;
  std::string fallback_path;
};

// Pasted blocks, and the set-up of their operators.
struct Pasted {
  const v1::PastedBlocks& blocks;
  const v1::NativeSemantics& semantics;
  // For patterns in the blocks.
  PatternAllowance& allowance;
};

// Translates all pasted blocks, outermost operator first. Reports refused parts
// as errors and parts that cannot be carried over as warnings.
Import ImportPasted(const Pasted& pasted, IssueReporter& report);

// Checks the operators' set-up in a policy when the policy is loaded, so that
// problems do not wait for the first failure. Reports, below `path`: unknown
// operators, version keys and settings as errors; ignored releases and values,
// and feature gates without effect, as warnings.
void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_H_
