#include "policy/native/operators.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

using Outcome = std::optional<NativeOutcome> (*)(const NativeInput&);

struct OperatorRow {
  // In NativeSemantics.operator.
  std::string_view name;
  // Kind of its workloads.
  std::string_view kind;
  Outcome outcome;
  // Plain pods tell nothing about it: asked only when it is named.
  bool only_by_name = false;
};

// Outermost first: each may own objects of those below it.
constexpr OperatorRow kOperators[] = {
    {"jobset", "JobSet", JobSetOutcome},
    {"job", "Job", KubernetesJobOutcome},
};

// The verdict word of an operator that does nothing about a failure.
constexpr std::string_view kNone = "None";

NativeOutcome Complete(NativeOutcome outcome) {
  v1::NativeVerdict& verdict = outcome.verdict;
  verdict.set_action(outcome.action);
  verdict.set_scope(outcome.scope);
  verdict.set_queue(outcome.queue);
  verdict.set_charged_to(outcome.charged_to);
  verdict.set_used(outcome.used);
  verdict.set_limit(outcome.limit);
  return outcome;
}

const OperatorRow* FindOperator(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) { return row.name == name; });
  return found == std::end(kOperators) ? nullptr : found;
}

const OperatorRow* FirstFor(std::string_view kind) {
  const auto* const found =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const OperatorRow& row) { return row.kind == kind; });
  return found == std::end(kOperators) ? std::begin(kOperators) : found;
}

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& input) {
  const std::string& name = input.semantics.operator_();
  if (!name.empty()) {
    const OperatorRow* const row = FindOperator(absl::AsciiStrToLower(name));
    if (row == nullptr) return std::nullopt;
    std::optional<NativeOutcome> outcome = row->outcome(input);
    if (outcome.has_value()) outcome = Complete(*std::move(outcome));
    return outcome;
  }
  std::optional<NativeOutcome> idle;
  for (const OperatorRow* row = FirstFor(input.report.workload().kind());
       row != std::end(kOperators); ++row) {
    if (row->only_by_name) continue;
    std::optional<NativeOutcome> outcome = row->outcome(input);
    if (!outcome.has_value()) continue;
    if (outcome->verdict.verdict() == kNone) {
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
  return FindOperator(absl::AsciiStrToLower(name)) != nullptr;
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
