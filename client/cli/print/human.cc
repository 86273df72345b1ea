#include "client/cli/print/human.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/numbers.h"
#include "client/cli/base/utf8.h"
#include "client/cli/print/layout.h"
#include "client/cli/print/workloads.h"
#include "client/cli/story/wording.h"
#include "policy/wording.h"

namespace mulligan::cli {
namespace {

void Title(std::string_view title, Layout& layout, Style style = Style::kBold) {
  layout.BlankLine();
  layout.Line(title, style);
}

void WriteList(std::string_view title, const std::vector<std::string>& items,
               Layout& layout, Style style = Style::kBold) {
  if (items.empty()) return;
  Title(title, layout, style);
  for (const std::string& item : items) layout.Hanging("  - ", item);
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
  if (budget.limit_source() != 0) {
    line += absl::StrCat("  limit ", LimitSourceText(budget.limit_source()));
  }
  layout.Line(line, paid ? Style::kBold : Style::kPlain);
}

bool IsUntouched(const v1::BudgetState& budget) {
  return budget.used() == 0 && budget.used_before() == 0 &&
         budget.limit_source() == 0;
}

// The number of attempts shown; earlier ones are summed up.
constexpr std::size_t kShownAttempts = 8;
// The columns before the last one, which takes the remaining width.
constexpr std::size_t kColumns = 5;
// A last column narrower than this gets its own line.
constexpr std::size_t kLeastWidth = 24;

using Row = std::array<std::string, kColumns + 1>;

std::string ShortTime(const google::protobuf::Timestamp& time) {
  return UtcText("%m-%d %H:%M:%S", time.seconds());
}

// Returns when the attempt ended, or when it was reported if unknown.
std::string EndOf(const Attempt& attempt) {
  if (!attempt.no_end.empty()) return attempt.no_end;
  return (attempt.observed ? "by " : "") + ShortTime(attempt.ended);
}

Row AttemptRow(const Attempt& attempt) {
  return {
      absl::StrFormat("%s%d", attempt.is_current ? ">" : " ", attempt.number),
      EndOf(attempt),
      attempt.ran_for ? FormatDuration(*attempt.ran_for) : "?",
      v1::Cause_Name(attempt.cause),
      Printable(attempt.paid_by),
      Printable(attempt.done)};
}

std::size_t WidthOf(const std::vector<Row>& rows, std::size_t column) {
  std::size_t width = 0;
  for (const Row& row : rows) {
    width = std::max(width, DisplayWidth(row[column]));
  }
  return width;
}

std::string Column(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, DisplayWidth(text)), ' ');
}

// Returns the columns from `first` as a sentence: "paid by memory 1/3, fail the
// Job".
std::string Rest(const Row& row, std::size_t first) {
  return first == kColumns ? row[kColumns]
                           : absl::StrFormat("paid by %s, %s",
                                             row[kColumns - 1], row[kColumns]);
}

void WriteRows(const std::vector<Row>& rows, const std::vector<bool>& marked,
               Layout& layout) {
  std::array<std::size_t, kColumns> widths{};
  std::size_t left = 1;
  for (std::size_t i = 0; i < kColumns; ++i) {
    widths[i] = WidthOf(rows, i);
    left += widths[i] + 2;
  }
  const bool own_line = left + kLeastWidth > layout.width();
  // If a budget's name is too long, its column moves to the second line.
  const std::size_t shown = left - 2 > layout.width() ? kColumns - 1 : kColumns;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string lead = " ";
    for (std::size_t i = 0; i < shown; ++i) {
      lead += Column(rows[r][i], widths[i]) + "  ";
    }
    const Style style = r == 0      ? Style::kDim
                        : marked[r] ? Style::kBold
                                    : Style::kPlain;
    if (!own_line) {
      layout.Hanging(lead, rows[r][kColumns], style);
      continue;
    }
    lead.erase(lead.find_last_not_of(' ') + 1);
    layout.Line(lead, style);
    if (r > 0) {
      layout.Hanging(std::string(widths[0] + 3, ' ') + "-> ",
                     Rest(rows[r], shown));
    }
  }
}

// Returns "11 earlier: 9 CONTAINER_OOM, 2 SPOT_RECLAIMED".
std::string SumUp(const std::vector<Attempt>& attempts, std::size_t count) {
  std::vector<std::pair<v1::Cause, int>> causes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto known = std::ranges::find_if(causes, [&](const auto& entry) {
      return entry.first == attempts[i].cause;
    });
    if (known == causes.end()) {
      causes.emplace_back(attempts[i].cause, 1);
    } else {
      ++known->second;
    }
  }
  std::string text = absl::StrFormat("%d earlier: ", count);
  for (const auto& [cause, number] : causes) {
    text += absl::StrFormat("%s%d %s", text.back() == ' ' ? "" : ", ", number,
                            v1::Cause_Name(cause));
  }
  return text;
}

void WriteAttempts(const Story& story, bool all, Layout& layout) {
  if (story.attempts.empty()) return;
  layout.BlankLine();
  const std::size_t hidden = all || story.attempts.size() <= kShownAttempts
                                 ? 0
                                 : story.attempts.size() - kShownAttempts;
  std::vector<Row> rows = {
      {" #", "Ended (UTC)", "Ran", "Cause", "Paid by", "Done about it"}};
  std::vector<bool> marked = {false};
  for (std::size_t i = hidden; i < story.attempts.size(); ++i) {
    rows.push_back(AttemptRow(story.attempts[i]));
    marked.push_back(story.attempts[i].is_current && story.attempts.size() > 1);
  }
  WriteRows(rows, marked, layout);
  if (hidden > 0) layout.Paragraph(2, SumUp(story.attempts, hidden));
  if (story.dropped > 0) {
    layout.Paragraph(2, absl::StrFormat("%d older ones are no longer in the "
                                        "ledger",
                                        story.dropped));
  }
  if (!story.seeded_from.empty()) {
    layout.Paragraph(2, "Failures before the ledger: " + story.seeded_from);
  }
}

// Writes "  Price      nothing"; writes nothing if `text` is empty.
void WriteFact(Layout& layout, std::string_view name, const std::string& text,
               Style style = Style::kBold) {
  layout.Hanging(absl::StrFormat("  %-10s ", name), text, style);
}

// Heaviest first, then other evidence that the headline quotes.
void WriteEvidence(const v1::Diagnosis& diagnosis, Layout& layout) {
  const std::vector<EvidenceGroup> all = EvidenceOf(diagnosis);
  if (all.empty()) return;
  Title("Evidence", layout);
  int number = 0;
  for (const EvidenceGroup& group : all) {
    const v1::Evidence& evidence = *group.first;
    const std::string lead = absl::StrFormat("%3d. ", ++number);
    const std::string value = Printable(evidence.value());
    const std::string& meaning = evidence.meaning();
    // Quoted text with spaces may contain colons, so the meaning goes on its
    // own line.
    const bool apart = value.find(' ') != value.npos && !meaning.empty();
    const bool both = !value.empty() && !meaning.empty();
    const std::string text =
        apart ? value : absl::StrCat(value, both ? ": " : "", meaning);
    layout.Hanging(lead, text.empty() ? evidence.path() : text);
    if (apart) {
      layout.Paragraph(lead.size(), absl::StrFormat("(%s)", meaning));
    }
    if (!text.empty() && !evidence.path().empty()) {
      layout.Paragraph(lead.size(), evidence.path(), Style::kDim);
    }
    for (const v1::Evidence* repeat : group.repeats) {
      layout.Paragraph(lead.size(), repeat->path(), Style::kDim);
    }
    if (!evidence.overrode().empty()) {
      layout.Paragraph(lead.size(),
                       absl::StrFormat("overrides %s", evidence.overrode()));
    }
  }
}

// The budgets after the decision, with the paying one marked. Without `all`,
// unused ones are only named below.
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

void WriteConsidered(const v1::Diagnosis& diagnosis, Layout& layout) {
  std::vector<std::string> ruled_out;
  std::vector<std::string> open;
  for (const Rejected& cause : RejectedCauses(diagnosis)) {
    (cause.open ? open : ruled_out)
        .push_back(absl::StrFormat("%s: %s", cause.name, cause.why));
  }
  WriteList("Ruled out", ruled_out, layout);
  WriteList("Possible still", open, layout);
}

void WriteRulesTried(const v1::Explanation& explanation, Layout& layout) {
  std::vector<std::string> rules;
  for (const v1::RuleTrial& trial : explanation.rules_tried()) {
    const std::string place = RulePlace(trial.rule());
    rules.push_back(absl::StrFormat("%s%s: %s", trial.rule().rule(),
                                    place.empty() ? "" : " (" + place + ")",
                                    trial.failed_predicate()));
  }
  WriteList("Rules that did not match", rules, layout);
}

void WriteCounterfactuals(const v1::Explanation& explanation, Layout& layout) {
  std::vector<std::string> changes;
  for (const v1::Counterfactual& other : explanation.counterfactuals()) {
    changes.push_back(
        absl::StrFormat("%s -> %s", other.change(), other.verdict()));
  }
  WriteList("What would change it", changes, layout);
}

void WriteNeededEvidence(const v1::Diagnosis& diagnosis, Layout& layout) {
  std::vector<std::string> all;
  for (const v1::NeededEvidence& needed : diagnosis.needed_evidence()) {
    all.push_back(absl::StrCat(needed.what(), needed.why().empty() ? "" : ": ",
                               needed.why()));
  }
  WriteList("What would raise the confidence", all, layout);
}

void WriteWarnings(const v1::DecideResponse& response, Layout& layout) {
  WriteList("Warnings",
            {response.warnings().begin(), response.warnings().end()}, layout,
            Style::kYellow);
}

void WriteSeparate(const v1::DecideResponse& response, Layout& layout) {
  std::vector<std::string> sentences;
  for (const v1::SeparateFailure& separate : response.separate()) {
    sentences.push_back(separate.decision().sentence());
  }
  WriteList("Other failures, decided separately", sentences, layout);
}

// What stopped the work, what to do first, both verdicts with their limits, and
// the attempts; without `all`, only the latest.
void WriteStory(const Story& story, bool all, Layout& layout) {
  if (!story.headline.empty()) {
    layout.Paragraph(0, story.headline, Style::kBold);
    layout.BlankLine();
  }
  WriteFact(layout, "Workload", story.workload);
  WriteFact(layout, "Restarts", story.restarts);
  WriteFact(layout, "Stop it", story.stop_command);
  WriteFact(layout, "Do first", story.first_step);
  for (const Side& side : story.sides) {
    const bool counts = story.broken || !side.limit.name.empty();
    WriteFact(layout, side.who,
              side.verdict + (counts ? "; " + side.Price() : ""),
              LookOf(side.action).style);
  }
  WriteAttempts(story, all, layout);
}

// With `all`, the complete command that stores it.
void WriteLedger(const LedgerNote& ledger, bool all, Layout& layout) {
  if (ledger.json.empty()) return;
  Title("Ledger", layout);
  layout.Paragraph(2, absl::StrFormat("%d bytes now; %s", ledger.json.size(),
                                      ledger.source.empty()
                                          ? "there was none before"
                                          : "the one before was read from " +
                                                ledger.source));
  if (ledger.command.empty()) return;
  if (all) {
    layout.Paragraph(2, "Store it on the object for the next attempt:");
    layout.Line("  " + ledger.command);
    return;
  }
  const std::string command =
      ledger.command.substr(0, ledger.command.find('=') + 1);
  layout.Paragraph(2,
                   "Store it on the object for the next attempt "
                   "(--explain=full shows the value):");
  layout.Line("  " + command + "...");
}

// Writes both verdicts with their prices, the operator's message, and the
// difference, after a blank line and a title. Writes nothing without a native
// verdict.
void WriteNative(const Story& story, const v1::DecideResponse& response,
                 Layout& layout) {
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
  for (const Side& side : story.sides) {
    WriteFact(layout, side.who,
              absl::StrFormat("%s; %s", side.verdict, side.Price()));
    WriteFact(layout, "", side.message);
  }
  if (decides) return;
  WriteFact(layout, "Difference",
            native.difference().empty() ? "none" : native.difference());
}

constexpr int kMaxNames = 5;

void AddPart(std::string_view part, std::string& list,
             std::string_view separator = ", ") {
  if (part.empty()) return;
  if (!list.empty()) list += separator;
  list += part;
}

std::string CauseLine(const v1::Diagnosis& diagnosis) {
  std::string line = absl::StrFormat(
      "%s (%s)", v1::Cause_Name(diagnosis.cause()),
      Words(v1::Diagnosis::FaultDomain_Name(diagnosis.fault_domain())));
  if (diagnosis.derived_cause() != v1::DERIVED_CAUSE_UNSPECIFIED) {
    line += absl::StrFormat(", and %s: %s",
                            v1::DerivedCause_Name(diagnosis.derived_cause()),
                            diagnosis.derived_reason());
  }
  const std::string_view sure = ConfidenceText(diagnosis.confidence());
  if (!sure.empty()) line += absl::StrFormat("; %s", sure);
  return line;
}

std::string CulpritLine(const v1::Diagnosis& diagnosis) {
  const v1::Culprit& culprit = diagnosis.culprit();
  std::string line;
  if (!culprit.kind().empty()) {
    AddPart(absl::StrFormat("%s %s", culprit.kind(), culprit.name()), line);
  }
  const auto add = [&line](std::string_view what, const std::string& name) {
    if (!name.empty()) AddPart(absl::StrFormat("%s %s", what, name), line);
  };
  add("pod", culprit.pod());
  add("container", culprit.container());
  add("node", culprit.node());
  if (diagnosis.has_exit_code()) {
    AddPart(absl::StrFormat("exit code %d", diagnosis.exit_code()), line);
  }
  return line;
}

std::string CascadeLine(const v1::Diagnosis& diagnosis,
                        const std::string& cascade_message) {
  const int count = diagnosis.cascades_size();
  if (count == 0) return "";
  std::string names;
  for (int i = 0; i < count && i < kMaxNames; ++i) {
    AddPart(diagnosis.cascades(i).pod(), names);
  }
  if (count > kMaxNames) {
    names += absl::StrFormat(" and %d more", count - kMaxNames);
  }
  AddPart(cascade_message, names, "; ");
  return absl::StrFormat("%d died because of it, not charged: %s", count,
                         names);
}

std::string PriceLine(const v1::DecideResponse& response) {
  const v1::Accounting& accounting = response.accounting();
  std::string line;
  if (accounting.duplicate()) {
    line = "nothing, this failure was decided before";
  } else if (accounting.units() == 0) {
    line = "nothing";
  } else {
    line = absl::StrFormat("%d from budget %s", accounting.units(),
                           accounting.charged_to());
  }
  if (accounting.max_attempts() > 0 && accounting.attempts() > 0) {
    line += absl::StrFormat(" (attempt %d of at most %d)",
                            accounting.attempts(), accounting.max_attempts());
  }
  return line;
}

std::string ExhaustionLine(const v1::Accounting& accounting) {
  if (!accounting.has_exhaustion()) return "";
  const v1::Exhaustion& exhaustion = accounting.exhaustion();
  return absl::StrFormat("%s: %d of %d used", LimitName(exhaustion),
                         exhaustion.used(), exhaustion.bound());
}

// Returns "memory x1.5 for container main", or "more memory" if the base is
// unknown.
std::string GrowthText(const v1::ResourceChange& change) {
  const std::string resource =
      change.resource() + (change.request_only() ? " request" : "");
  const std::string container =
      change.container().empty() ? "" : " for container " + change.container();
  return change.factor() > 0
             ? absl::StrFormat("%s x%g%s", resource, change.factor(), container)
             : absl::StrFormat("more %s%s", resource, container);
}

std::string NextAttemptLine(const v1::Decision& decision, const Story& story) {
  std::string line;
  if (decision.requires_recreate()) {
    AddPart("delete the object and create it again", line, "; ");
  }
  if (decision.action() != v1::Decision::RETRY) return line;
  if (decision.queue() == v1::Decision::REQUEUE) {
    AddPart("back of the queue", line, "; ");
  } else if (decision.queue() == v1::Decision::IN_PLACE) {
    AddPart("keep the place in the queue", line, "; ");
  }
  for (const v1::AvoidNode& avoid : decision.placement().avoid_nodes()) {
    AddPart(absl::StrFormat("%s node %s until %s",
                            avoid.hard() ? "stay off" : "rather not on",
                            avoid.node(), TimeText(avoid.expires_at())),
            line, "; ");
  }
  if (decision.placement().on_demand()) {
    AddPart("on-demand capacity", line, "; ");
    if (!decision.placement().on_demand_reason().empty()) {
      line += " (" + decision.placement().on_demand_reason() + ")";
    }
  }
  for (const v1::ResourceChange& change : story.resources) {
    AddPart(GrowthText(change), line, "; ");
  }
  return line;
}

std::string RuleLine(const v1::DecideResponse& response) {
  const v1::RuleReference& rule = response.explanation().matched_rule();
  std::string line =
      rule.policy().empty() ? response.policy().name() : rule.policy();
  if (!rule.rule().empty()) line += "/" + rule.rule();
  const std::string place = RulePlace(rule);
  if (!place.empty()) line += absl::StrFormat(" (%s)", place);
  const auto decided_by = response.explanation().decided_by();
  if (rule.rule().empty()) AddPart(DecidedText(decided_by), line);
  return line;
}

void WriteFacts(const Story& story, const v1::DecideResponse& response,
                Layout& layout) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  WriteFact(layout, "Cause", CauseLine(diagnosis));
  const std::string outlook = OutlookText(diagnosis);
  WriteFact(layout, "Outlook",
            outlook.empty() ? "" : "Would an unchanged retry pass? " + outlook);
  WriteFact(layout, "Culprit", CulpritLine(diagnosis));
  WriteFact(layout, "Cascade", CascadeLine(diagnosis, story.cascade_message));
  WriteFact(layout, "Price", PriceLine(response));
  WriteFact(layout, "Exhausted", ExhaustionLine(response.accounting()));
  WriteFact(layout, "At stake", StakeText(response.accounting().stake()));
  WriteFact(layout, "Next", NextAttemptLine(response.decision(), story));
  WriteFact(layout, "Remedy", LadderText(response.decision().escalation()));
  WriteFact(layout, "Rule", RuleLine(response));
}

}  // namespace

std::string RulePlace(const v1::RuleReference& rule) {
  if (rule.file().empty()) return "";
  if (rule.line() == 0) return rule.file();
  return absl::StrFormat("%s:%d", rule.file(), rule.line());
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

std::string FormatForPeople(const Story& story,
                            const v1::DecideResponse& response,
                            const HumanOptions& options) {
  Layout layout(kPageWidth, options.color);
  const bool details = options.details || options.verbose;
  WriteStory(story, options.verbose, layout);
  WriteSeparate(response, layout);
  WriteWarnings(response, layout);
  if (details) {
    layout.BlankLine();
    WriteFacts(story, response, layout);
  }
  if (options.native || options.verbose ||
      response.explanation().decided_by() == v1::Explanation::NATIVE) {
    WriteNative(story, response, layout);
  }
  if (!details) {
    layout.BlankLine();
    layout.Line("Why, with the evidence and every budget: --details",
                Style::kDim);
    return layout.text();
  }
  const v1::Diagnosis& diagnosis = response.diagnosis();
  WriteEvidence(diagnosis, layout);
  WriteBudgets(response.accounting(), options.verbose, layout);
  if (options.verbose || diagnosis.confidence() == v1::Diagnosis::LOW) {
    WriteConsidered(diagnosis, layout);
  }
  if (options.verbose) WriteRulesTried(response.explanation(), layout);
  WriteCounterfactuals(response.explanation(), layout);
  WriteNeededEvidence(diagnosis, layout);
  WriteLedger(story.ledger, options.verbose, layout);
  return layout.text();
}

}  // namespace mulligan::cli
