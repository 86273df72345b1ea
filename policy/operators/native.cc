#include "policy/operators/native.h"

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

const OperatorRow* FindOperator(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) { return row.name == name; });
  return found == std::end(kOperators) ? nullptr : found;
}

// The answer of the operator that semantics names, or else of the outermost one
// that does something.
std::optional<NativeOutcome> Ask(const NativeInput& input) {
  const std::string& name = input.semantics.operator_();
  if (!name.empty()) {
    const OperatorRow* const row = FindOperator(name);
    return row == nullptr ? std::nullopt : row->outcome(input);
  }
  const std::string& kind = input.report.workload().kind();
  const auto* const own =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) {
                     return !kind.empty() && row.kind == kind;
                   });
  std::optional<NativeOutcome> idle;
  for (const OperatorRow& row : kOperators) {
    // Further out than the stated kind are only those that handle several.
    const bool is_further_out = own != std::end(kOperators) && &row < own;
    if (is_further_out && !row.kind.empty()) continue;
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
    return outcome;
  }
  return idle;
}

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& input) {
  std::optional<NativeOutcome> outcome = Ask(input);
  if (!outcome.has_value()) return outcome;
  v1::NativeVerdict& verdict = outcome->verdict;
  verdict.set_action(outcome->action);
  verdict.set_scope(outcome->scope);
  verdict.set_queue(outcome->queue);
  verdict.set_charged_to(outcome->charged_to);
  verdict.set_used(CountOf(outcome->used));
  verdict.set_limit(CountOf(outcome->limit));
  return outcome;
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
