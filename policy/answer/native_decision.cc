#include "policy/answer/native_decision.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/base/warnings.h"
#include "policy/budget/ledger.h"
#include "policy/compare.h"
#include "policy/limits.h"
#include "policy/native.h"
#include "policy/request/workload.h"
#include "policy/verdict/record.h"

namespace mulligan {
namespace {

bool IsExhausted(const NativeOutcome& outcome) {
  return outcome.action == v1::Decision::FAIL && !outcome.charged_to.empty() &&
         outcome.used > outcome.limit;
}

// Operators' counters are 32 bits wide, but a status may hold anything.
std::int32_t Bounded(std::int64_t count) {
  return CountOf(std::max<std::int64_t>(count, 0));
}

v1::Decision MakeDecision(const Case& failure, const NativeOutcome& outcome) {
  v1::NativeVerdict verdict = outcome.verdict;
  if (verdict.scope() == v1::Decision::SCOPE_UNSPECIFIED) {
    verdict.set_scope(
        DefaultScope(failure.report(), failure.workload(), outcome.action));
  }
  v1::Decision decision = DecisionOf(verdict);
  if (decision.action() == v1::Decision::WAIT &&
      ToDuration(decision.retry_after()) <= absl::ZeroDuration()) {
    SetDuration(kPollInterval, *decision.mutable_retry_after());
  }
  if (outcome.on_demand) decision.mutable_placement()->set_on_demand(true);
  return decision;
}

void FillNativeRecord(const Case& failure, const NativeOutcome& outcome,
                      const v1::Decision& decision, v1::AttemptRecord& record) {
  Verdict verdict;
  verdict.used = Bounded(outcome.used);
  verdict.bound = Bounded(outcome.limit);
  FillRecord(failure, verdict, decision, record);
  const std::string budget = NativeBudgetName(outcome.charged_to);
  if (IsExhausted(outcome)) {
    record.set_refused_by(v1::AttemptRecord::BUDGET);
    record.set_refusing_budget(budget);
  } else {
    record.set_charged_to(budget);
  }
}

void FillNativeAccounting(const NativeOutcome& outcome,
                          v1::Accounting& accounting) {
  if (outcome.charged_to.empty()) return;
  const std::string name = NativeBudgetName(outcome.charged_to);
  const bool charged = !IsExhausted(outcome);
  if (charged) {
    accounting.set_charged_to(name);
    accounting.set_units(1);
  }
  v1::BudgetState& budget = *accounting.add_budgets();
  budget.set_name(name);
  budget.set_used(Bounded(outcome.used));
  budget.set_limit(Bounded(outcome.limit));
  budget.set_remaining(std::max(0, budget.limit() - budget.used()));
  budget.set_used_before(std::max(0, budget.used() - (charged ? 1 : 0)));
}

// Makes text visible but keeps line ends and tabs, which operators use.
std::string VisibleLines(std::string_view text) {
  std::string visible;
  while (true) {
    const std::size_t end = std::min(text.find_first_of("\n\r\t"), text.size());
    visible += Visible(text.substr(0, end));
    if (end == text.size()) return visible;
    visible.push_back(text[end]);
    text.remove_prefix(end + 1);
  }
}

// Callers copy these texts, which repeat the report's, into conditions.
void ShowAll(v1::NativeVerdict& native) {
  for (std::string* text :
       {native.mutable_verdict(), native.mutable_reason()}) {
    if (!IsPrintableAscii(*text)) *text = Visible(*text);
  }
  if (!IsPrintableAscii(native.message())) {
    native.set_message(VisibleLines(native.message()));
  }
  const bool plain = std::ranges::all_of(
      native.counters(),
      [](const auto& counter) { return IsPrintableAscii(counter.first); });
  if (plain) return;
  google::protobuf::Map<std::string, std::int32_t> counters;
  for (const auto& [name, count] : native.counters()) {
    counters[Visible(name)] = count;
  }
  native.mutable_counters()->swap(counters);
}

}  // namespace

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

void FillNatively(const Case& failure, const NativeOutcome& outcome,
                  v1::Decision& decision, v1::Accounting& accounting,
                  v1::AttemptRecord& record) {
  decision = MakeDecision(failure, outcome);
  FillNativeAccounting(outcome, accounting);
  FillNativeRecord(failure, outcome, decision, record);
}

bool BookNatively(const NativeOutcome& outcome, std::int32_t attempts,
                  v1::AttemptRecord& record, v1::BudgetLedger& ledger) {
  // Failures that the operator ignores cost no attempt.
  if (outcome.action == v1::Decision::IGNORE ||
      outcome.action == v1::Decision::WAIT) {
    return false;
  }
  if (!record.charged_to().empty()) {
    (*ledger.mutable_budgets())[record.charged_to()].set_used(
        std::min(record.used(), kMaxLedgerCount));
  }
  AddRecord(attempts, record, ledger);
  return true;
}

void ShowNative(NativeOutcome outcome, v1::DecideResponse& response) {
  for (const auto* warnings : {&outcome.refusals, &outcome.warnings}) {
    for (const std::string& warning : *warnings) {
      AddWarning(
          absl::StrFormat("%s: %s", outcome.verdict.operator_(), warning),
          *response.mutable_warnings());
    }
  }
  v1::NativeVerdict& native = *response.mutable_native();
  native = std::move(outcome.verdict);
  ShowAll(native);
  native.set_difference(DifferenceText(native, response.decision()));
}

}  // namespace mulligan
