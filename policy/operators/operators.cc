#include "policy/operators/operators.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "policy/base/counts.h"

namespace mulligan {
namespace {

using Outcome = std::optional<NativeOutcome> (*)(const NativeInput&);

struct OperatorRow {
  // In NativeSemantics.operator.
  std::string_view name;
  // Kind of its workloads; empty: it handles several.
  std::string_view kind;
  Outcome outcome;
};

// Outermost first: each may own objects of those below it.
constexpr OperatorRow kOperators[] = {
    {"kueue", "", WorkloadOutcome},
    {"flyte", "", FlyteOutcome},
    {"trainjob", "TrainJob", TrainJobOutcome},
    {"rayjob", "RayJob", RayJobOutcome},
    {"kubeflow", "", TrainingJobOutcome},
    {"spark", "SparkApplication", SparkApplicationOutcome},
    {"jobset", "JobSet", JobSetOutcome},
    {"job", "Job", KubernetesJobOutcome},
};

// Verdict words of an operator that does nothing about a failure for now.
constexpr std::string_view kIdle[] = {"None", "Pending", "Running", "Skipped"};

bool IsIdle(const NativeOutcome& outcome) {
  return outcome.action == v1::Decision::IGNORE &&
         std::find(std::begin(kIdle), std::end(kIdle),
                   outcome.verdict.verdict()) != std::end(kIdle);
}

NativeOutcome Complete(NativeOutcome outcome) {
  v1::NativeVerdict& verdict = outcome.verdict;
  verdict.set_action(outcome.action);
  verdict.set_scope(outcome.scope);
  verdict.set_queue(outcome.queue);
  verdict.set_charged_to(outcome.charged_to);
  verdict.set_used(CountOf(outcome.used));
  verdict.set_limit(CountOf(outcome.limit));
  return outcome;
}

const OperatorRow* FindOperator(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) { return row.name == name; });
  return found == std::end(kOperators) ? nullptr : found;
}

// Which rows may answer for a workload of a stated kind: its own, those further
// in, and those that handle several kinds. All of them for an unknown kind.
class Search {
 public:
  explicit Search(std::string_view kind)
      : skips_(!kind.empty() &&
               std::any_of(
                   std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) { return row.kind == kind; })),
        kind_(kind) {}

  // To be called with each row in order.
  bool Includes(const OperatorRow& row) {
    if (row.kind == kind_) skips_ = false;
    return !skips_ || row.kind.empty();
  }

 private:
  bool skips_;
  std::string_view kind_;
};

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& input) {
  const std::string& name = input.semantics.operator_();
  if (!name.empty()) {
    const OperatorRow* const row = FindOperator(name);
    if (row == nullptr) return std::nullopt;
    std::optional<NativeOutcome> outcome = row->outcome(input);
    if (outcome.has_value()) outcome = Complete(*std::move(outcome));
    return outcome;
  }
  std::optional<NativeOutcome> idle;
  Search search(input.report.workload().kind());
  for (const OperatorRow& row : kOperators) {
    if (!search.Includes(row)) continue;
    std::optional<NativeOutcome> outcome = row.outcome(input);
    if (!outcome.has_value()) continue;
    // An object that could not exist is refused, whatever is inside it.
    if (IsIdle(*outcome) && outcome->refusals.empty()) {
      if (!idle.has_value()) idle = std::move(outcome);
      continue;
    }
    if (idle.has_value()) {
      outcome->warnings.push_back(absl::StrFormat(
          "%s does nothing about this failure, so %s answers",
          idle->verdict.operator_(), outcome->verdict.operator_()));
    }
    return Complete(*std::move(outcome));
  }
  if (idle.has_value()) idle = Complete(*std::move(idle));
  return idle;
}

bool IsNativeOperator(const std::string& name) {
  return FindOperator(name) != nullptr;
}

std::string NativeOperatorNames() {
  std::string names;
  for (const OperatorRow& row : kOperators) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

std::string NativeBudgetName(const std::string& setting) {
  std::string name;
  for (const char letter : setting) {
    if (absl::ascii_isupper(static_cast<unsigned char>(letter))) {
      if (!name.empty() && name.back() != '-') name.push_back('-');
      name.push_back(absl::ascii_tolower(static_cast<unsigned char>(letter)));
    } else if (absl::ascii_isalnum(static_cast<unsigned char>(letter))) {
      name.push_back(letter);
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  return name;
}

}  // namespace mulligan
