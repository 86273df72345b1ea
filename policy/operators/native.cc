#include "policy/operators/native.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "policy/operators/objects.h"

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
constexpr std::array<OperatorRow, 9> kOperators = {{
    {"kueue", "", WorkloadOutcome},
    {"flyte", "", FlyteOutcome},
    {"trainjob", "TrainJob", TrainJobOutcome},
    {"rayjob", "RayJob", RayJobOutcome},
    {"mpijob", "", MpiJobOutcome},
    {"kubeflow", "", TrainingJobOutcome},
    {"spark", "SparkApplication", SparkApplicationOutcome},
    {"jobset", "JobSet", JobSetOutcome},
    {"job", "Job", KubernetesJobOutcome},
}};

// Verdict words of an operator that does nothing about a failure for now.
constexpr std::array<std::string_view, 4> kIdle = {"None", "Pending", "Running",
                                                   "Skipped"};

bool IsIdle(const NativeOutcome& outcome) {
  return outcome.action == v1::Decision::IGNORE &&
         HasText(kIdle, outcome.verdict.verdict());
}

const OperatorRow* FindOperator(std::string_view name) {
  return FindIn(kOperators,
                [&](const OperatorRow& row) { return row.name == name; });
}

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& input) {
  const std::string& name = input.semantics.operator_();
  if (!name.empty()) {
    const OperatorRow* const row = FindOperator(name);
    return row == nullptr ? std::nullopt : row->outcome(input);
  }
  const std::string& kind = input.report.workload().kind();
  const OperatorRow* const own =
      FindIn(kOperators, [&](const OperatorRow& row) {
        return !kind.empty() && row.kind == kind;
      });
  std::optional<NativeOutcome> idle;
  for (const OperatorRow& row : kOperators) {
    // Further out than the stated kind are only those that handle several.
    const bool is_further_out = own != nullptr && &row < own;
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
