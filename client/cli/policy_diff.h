// Requests that two sets of policies answer differently.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_DIFF_H_
#define MULLIGAN_CLIENT_CLI_POLICY_DIFF_H_

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// What one of the sets says.
struct DiffSide {
  // "RETRY the pod in 9s", or the error.
  std::string verdict;
  // "training/out-of-memory"; without a rule the policy alone.
  std::string rule;
  // Budget that pays; empty: none.
  std::string budget;
  // The sentence of the answer, or the error.
  std::string sentence;
};

// Requests that differ in the same way: same cause, rules, actions and budgets
// on both sides.
struct DiffGroup {
  std::string cause;
  // Names of CandidateVerdict.Difference, in their order.
  std::vector<std::string> differences;
  std::size_t requests = 0;
  // The first of them: its line, and whose it is.
  std::size_t line = 0;
  std::string workload;
  DiffSide before;
  DiffSide after;
};

struct DiffResult {
  // With an answer from at least one of the sets.
  std::size_t requests = 0;
  std::size_t different = 0;
  // The largest first.
  std::vector<DiffGroup> groups;
  // Lines that are neither a request nor a record, or that neither set can
  // answer, and what is wrong with the first of them.
  std::size_t unanswered = 0;
  std::string first_problem;
  // Records with blanked fields: what they ask is not what was asked.
  std::size_t redacted = 0;
};

// Decides every line of `in`, a DecideRequest or a DecisionRecord in proto
// JSON, under both sets. Blank lines are skipped, no line stops the run; memory
// is bounded by the ways to differ.
DiffResult DiffPolicies(std::istream& in, const PolicySet& before,
                        const PolicySet& after);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_DIFF_H_
