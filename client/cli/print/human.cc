#include "client/cli/print/human.h"

#include <string_view>

#include "absl/strings/str_format.h"
#include "client/cli/print/layout.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {
namespace {

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
