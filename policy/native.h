// The operators' own retry rules, as far as the core asks about them. They are
// a library of their own, policy/native; a build without it
// (MULLIGAN_NATIVE=OFF) links policy/without_native.cc, and decides without
// them.
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

// Everything an operator's rules may look at. `now` is report.observed_at.
struct NativeInput {
  const v1::FailureReport& report;
  const v1::BudgetLedger& ledger;
  const v1::NativeSemantics& semantics;
  google::protobuf::Timestamp now;
  // For patterns in the objects; null: an allowance of their own.
  PatternAllowance* patterns = nullptr;
};

// One operator's answer, in its own terms and in Mulligan's.
struct NativeOutcome {
  v1::NativeVerdict verdict;
  // The verdict in Mulligan's terms, with counts of any size.
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  v1::Decision::Scope scope = v1::Decision::SCOPE_UNSPECIFIED;
  v1::Decision::Queue queue = v1::Decision::QUEUE_UNSPECIFIED;
  // The operator's budget that pays, for example "backoffLimit"; empty: the
  // failure is not counted. `used` is the use after this failure, both in
  // failures tolerated.
  std::string charged_to;
  std::int64_t used = 0;
  std::int64_t limit = 0;
  // For RETRY: the operator moves the workload to capacity that is not
  // interrupted (Flyte's last attempts).
  bool on_demand = false;
  // What the API server or a webhook refuses, each "report.jobs[0].spec.x:
  // why". Such an object never gets to the operator; the verdict is what it
  // would do all the same.
  std::vector<std::string> refusals;
  // What was not understood: newer fields, missing objects.
  std::vector<std::string> warnings;
};

// Returns what the operator of the reported workload does about the failure;
// nothing if the report has no object of a known operator.
//
// The outermost operator that does something answers: a JobSet before its
// child Jobs, a TrainJob before its JobSet. If an operator does nothing yet
// ("None"), the next inner operator answers, and a warning is added. The search
// starts at `report.workload.kind` if it is given; `semantics.operator` leaves
// no choice at all.
std::optional<NativeOutcome> AnswerNatively(const NativeInput& input);

// Returns who restarts the failed work without being asked, as a phrase; empty
// if no one does. Asked is the operator of the workload, by its own rules and a
// limit that the object states. `pod` is the pod whose end it has seen; -1
// means all. Queues and Flyte's engine do not count: they have statements of
// their own. If the report lacks the pod's owner, the question is whether that
// owner has replaced a failed pod before.
std::string RetriesByItself(const NativeInput& input, int pod);

// "job, jobset, ...", outermost first: values of NativeSemantics.operator.
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
  // The outcome if no rule matches; absent: the block has none.
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

// Checks the operators' set-up in a policy when it is loaded instead of with
// the first failure. Reports, below `path`: unknown operators, version keys and
// settings as errors; releases and values that are passed over, and feature
// gates that change nothing here, as warnings.
void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_H_
