#include "client/cli/human_native.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "client/cli/wording.h"
#include "policy/verdict/native_comparison.h"

namespace mulligan::cli {
namespace {

std::string Price(const std::string& budget, std::int64_t used,
                  std::int64_t limit) {
  if (budget.empty()) return "; not counted";
  return absl::StrFormat("; %s %d of %d", budget, used, limit);
}

std::string OurLine(const v1::DecideResponse& response) {
  const v1::Accounting& accounting = response.accounting();
  std::string line = VerdictLine(response.decision());
  for (const v1::BudgetState& budget : accounting.budgets()) {
    if (budget.name() == accounting.charged_to()) {
      return line + Price(budget.name(), budget.used(), budget.limit());
    }
  }
  if (accounting.has_exhaustion()) {
    const v1::Exhaustion& end = accounting.exhaustion();
    return line + Price(LimitName(end), end.used(), end.bound());
  }
  return line + Price("", 0, 0);
}

std::string OperatorLine(const v1::NativeVerdict& native) {
  return VerdictLine(DecisionOf(native)) +
         Price(native.charged_to(), native.used(), native.limit());
}

// "Failed, BackoffLimitExceeded: Job has reached ...".
std::string OwnWords(const v1::NativeVerdict& native) {
  std::string words = native.verdict();
  if (!native.reason().empty()) words += ", " + native.reason();
  if (!native.message().empty()) words += ": " + native.message();
  return words;
}

}  // namespace

void WriteNative(const v1::DecideResponse& response, Layout& layout) {
  if (!response.has_native()) return;
  const v1::NativeVerdict& native = response.native();
  const bool decides =
      response.explanation().decided_by() == v1::Explanation::NATIVE;
  layout.BlankLine();
  layout.Line(absl::StrFormat(
                  "%s (%s)",
                  decides ? "As the operator says it" : "Next to the operator",
                  native.semantics()),
              Style::kBold);
  const auto fact = [&layout](std::string_view name, const std::string& text) {
    layout.Hanging(absl::StrFormat("  %-10s ", name), text, Style::kBold);
  };
  if (!decides) fact("Mulligan", OurLine(response));
  fact(native.operator_(), OperatorLine(native));
  fact("", OwnWords(native));
  if (decides) return;
  fact("Difference",
       native.difference().empty() ? "none" : native.difference());
}

}  // namespace mulligan::cli
