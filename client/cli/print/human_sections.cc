#include "client/cli/print/human_sections.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"
#include "client/cli/story/wording.h"
#include "policy/demystify/causes.h"

namespace mulligan::cli {
namespace {

void Title(std::string_view title, Layout& layout) {
  layout.BlankLine();
  layout.Line(title, Style::kBold);
}

void WriteBudget(const v1::BudgetState& budget,
                 const v1::Accounting& accounting, size_t name_width,
                 Layout& layout) {
  std::string line =
      absl::StrFormat("  %-*s %6d %6d %6d", static_cast<int>(name_width),
                      Printable(budget.name()), budget.used(), budget.limit(),
                      budget.remaining());
  const bool paid =
      accounting.units() > 0 && budget.name() == accounting.charged_to();
  if (paid) line += absl::StrFormat("  <- charged %d", accounting.units());
  const auto refund = accounting.refunds().find(budget.name());
  if (refund != accounting.refunds().end()) {
    line += absl::StrFormat("  refunded %d", refund->second);
  }
  if (accounting.has_exhaustion() &&
      accounting.exhaustion().budget() == budget.name()) {
    line += "  exhausted";
  }
  if (budget.has_window_ends_at()) {
    line += "  resets " + TimeText(budget.window_ends_at());
  }
  layout.Line(line, paid ? Style::kBold : Style::kPlain);
}

bool IsUntouched(const v1::BudgetState& budget) {
  return budget.used() == 0 && budget.used_before() == 0;
}

}  // namespace

std::string RulePlace(const v1::RuleReference& rule) {
  if (rule.file().empty()) return "";
  if (rule.line() == 0) return rule.file();
  return absl::StrFormat("%s:%d", rule.file(), rule.line());
}

void WriteEvidence(const v1::Diagnosis& diagnosis, Layout& layout) {
  if (diagnosis.evidence().empty()) return;
  Title("Evidence", layout);
  int number = 0;
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    const std::string lead = absl::StrFormat("%3d. ", ++number);
    std::string text = Printable(evidence.value());
    if (!text.empty() && !evidence.meaning().empty()) text += ": ";
    text += evidence.meaning();
    layout.Hanging(lead, text.empty() ? evidence.path() : text);
    if (!text.empty() && !evidence.path().empty()) {
      layout.Paragraph(lead.size(), evidence.path(), Style::kDim);
    }
    if (!evidence.overrode().empty()) {
      layout.Paragraph(lead.size(),
                       absl::StrFormat("overrides %s", evidence.overrode()));
    }
  }
}

void WriteBudgets(const v1::Accounting& accounting, bool all, Layout& layout) {
  if (accounting.budgets().empty()) return;
  constexpr std::string_view kTitle = "Budgets";
  constexpr std::string_view kUntouched = "untouched";
  size_t name_width = kUntouched.size();
  std::string untouched;
  for (const v1::BudgetState& budget : accounting.budgets()) {
    name_width = std::max(name_width, DisplayWidth(budget.name()));
    if (all || !IsUntouched(budget)) continue;
    if (!untouched.empty()) untouched += ", ";
    untouched += absl::StrFormat("%s %d", budget.name(), budget.limit());
  }
  Title(absl::StrFormat("%-*s   used  limit   left",
                        static_cast<int>(name_width) + 2, kTitle),
        layout);
  for (const v1::BudgetState& budget : accounting.budgets()) {
    if (all || !IsUntouched(budget)) {
      WriteBudget(budget, accounting, name_width, layout);
    }
  }
  layout.Hanging(
      absl::StrFormat("  %-*s  ", static_cast<int>(name_width), kUntouched),
      untouched);
}

std::vector<Rejected> RejectedCauses(const v1::Diagnosis& diagnosis) {
  constexpr std::string_view kOpen = kNotRuledOut;
  std::vector<Rejected> causes;
  for (const v1::ConsideredCause& considered : diagnosis.considered()) {
    std::string_view why = considered.why_not();
    const bool open = why.substr(0, kOpen.size()) == kOpen;
    if (open) why.remove_prefix(kOpen.size());
    causes.push_back(
        {v1::Cause_Name(considered.cause()), std::string(why), open});
  }
  return causes;
}

void WriteConsidered(const v1::Diagnosis& diagnosis, Layout& layout) {
  const std::vector<Rejected> causes = RejectedCauses(diagnosis);
  for (const bool open : {false, true}) {
    bool titled = false;
    for (const Rejected& cause : causes) {
      if (cause.open != open) continue;
      if (!titled) Title(open ? "Possible still" : "Ruled out", layout);
      titled = true;
      layout.Hanging("  - ", absl::StrFormat("%s: %s", cause.name, cause.why));
    }
  }
}

void WriteRulesTried(const v1::Explanation& explanation, Layout& layout) {
  if (explanation.rules_tried().empty()) return;
  Title("Rules that did not match", layout);
  for (const v1::RuleTrial& trial : explanation.rules_tried()) {
    const std::string place = RulePlace(trial.rule());
    layout.Hanging("  - ",
                   absl::StrFormat("%s%s: %s", trial.rule().rule(),
                                   place.empty() ? "" : " (" + place + ")",
                                   trial.failed_predicate()));
  }
}

void WriteCounterfactuals(const v1::Explanation& explanation, Layout& layout) {
  if (explanation.counterfactuals().empty()) return;
  Title("What would change it", layout);
  for (const v1::Counterfactual& other : explanation.counterfactuals()) {
    layout.Hanging(
        "  - ", absl::StrFormat("%s -> %s", other.change(), other.verdict()));
  }
}

void WriteNeededEvidence(const v1::Diagnosis& diagnosis, Layout& layout) {
  if (diagnosis.needed_evidence().empty()) return;
  Title("What would make it surer", layout);
  for (const v1::NeededEvidence& needed : diagnosis.needed_evidence()) {
    layout.Hanging(
        "  - ", needed.why().empty()
                    ? needed.what()
                    : absl::StrFormat("%s: %s", needed.what(), needed.why()));
  }
}

void WriteWarnings(const v1::DecideResponse& response, Layout& layout) {
  if (response.warnings().empty()) return;
  layout.BlankLine();
  layout.Line("Warnings", Style::kYellow);
  for (const std::string& warning : response.warnings()) {
    layout.Hanging("  - ", warning);
  }
}

}  // namespace mulligan::cli
