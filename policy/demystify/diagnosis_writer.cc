#include "policy/demystify/diagnosis_writer.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/blame.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/fingerprint.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/pod_reader.h"
#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/demystify/summary.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

using kubernetes::core::v1::Pod;

// Longer lists do not tell people more.
constexpr int kMaxEvidence = 6;
constexpr int kMaxConsidered = 8;

// "exit code 143 alone", "reason Evicted alone"; of a field that says no more
// than that it is set, "deletionTimestamp alone".
std::string Alone(const v1::FailureReport& report, const Candidate& fact) {
  if (!fact.text.empty()) return "the message alone";
  if (fact.value == "set") {
    const std::string path = PathOf(fact.place);
    return absl::StrCat(path.substr(path.rfind('.') + 1), " alone");
  }
  return absl::StrCat(fact.value.empty() ? "exit code " : "",
                      ValueOf(report, fact), " alone");
}

// Whose facts explain the answer; null: no pod's.
const Pod* SubjectOf(const v1::FailureReport& report,
                     const Conclusion& conclusion) {
  const int index = conclusion.gang.subject();
  return index >= 0 ? &report.pods(index) : nullptr;
}

// Whom to look at: the member that the root's words name, else the root.
const Pod* BlamedOf(const v1::FailureReport& report,
                    const Conclusion& conclusion) {
  const Gang& gang = conclusion.gang;
  return gang.named >= 0 ? &report.pods(gang.named)
                         : SubjectOf(report, conclusion);
}

void FillPod(const Pod& pod, v1::Culprit& culprit) {
  culprit.set_pod(Excerpt(pod.metadata().name()));
  culprit.set_node(Excerpt(pod.spec().node_name()));
}

void FillObject(const ObjectName& object, v1::Culprit& culprit) {
  if (object.kind == "Pod") {
    if (culprit.pod().empty()) culprit.set_pod(Excerpt(object.name));
  } else if (object.kind == "Node") {
    if (culprit.node().empty()) culprit.set_node(Excerpt(object.name));
  } else if (!object.name.empty()) {
    culprit.set_kind(Excerpt(object.kind));
    culprit.set_name(Excerpt(object.name));
  }
}

void FillCulprit(const v1::FailureReport& report, const Conclusion& conclusion,
                 v1::Culprit& culprit) {
  if (conclusion.gang.named >= 0) {
    FillPod(report.pods(conclusion.gang.named), culprit);
  } else if (const Pod* pod = SubjectOf(report, conclusion)) {
    if (!conclusion.gang.nobody) FillPod(*pod, culprit);
    if (const auto* container = CulpritContainer(report, conclusion)) {
      culprit.set_container(Excerpt(container->name()));
    }
  } else if (!conclusion.named_pod.empty()) {
    culprit.set_pod(Excerpt(conclusion.named_pod));
    culprit.set_container(Excerpt(conclusion.named_container));
  }
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && winner->place.root != Root::kPods) {
    FillObject(ObjectOf(report, winner->place), culprit);
  }
}

void AddEvidence(const v1::FailureReport& report, const Candidate& fact,
                 v1::Diagnosis& diagnosis) {
  v1::Evidence& evidence = *diagnosis.add_evidence();
  evidence.set_path(PathOf(fact.place));
  evidence.set_value(ValueOf(report, fact));
  evidence.set_meaning(std::string(fact.row->meaning));
  evidence.set_weight(WeightOf(fact));
  evidence.set_object(ObjectText(ObjectOf(report, fact.place)));
}

// The fact that named the cause, what supports it, and what it overrode.
void FillEvidence(const v1::FailureReport& report, const Conclusion& conclusion,
                  v1::Diagnosis& diagnosis) {
  const Candidate* naming = conclusion.naming();
  if (naming == nullptr) return;
  AddEvidence(report, *naming, diagnosis);
  const Candidate* overrode = nullptr;
  int left = kMaxEvidence - 1;
  for (const Candidate& fact : conclusion.facts) {
    if (&fact == naming || fact.row == nullptr) continue;
    if (fact.cause == naming->cause) {
      if (fact.row != naming->row && left-- > 0) {
        AddEvidence(report, fact, diagnosis);
      }
    } else if (fact.tier >= Tier::kGeneric &&
               (overrode == nullptr || Stronger(fact, *overrode))) {
      overrode = &fact;
    }
  }
  std::stable_sort(diagnosis.mutable_evidence()->begin() + 1,
                   diagnosis.mutable_evidence()->end(),
                   [](const v1::Evidence& a, const v1::Evidence& b) {
                     return a.weight() < b.weight();
                   });
  if (overrode != nullptr) {
    diagnosis.mutable_evidence(0)->set_overrode(Alone(report, *overrode));
  }
}

void FillCascades(const v1::FailureReport& report, const Gang& gang,
                  v1::Diagnosis& diagnosis) {
  std::string_view text;
  std::size_t found_at = 0;
  std::string how;
  for (const PodReading* member : gang.cascades) {
    const Candidate& fact = member->best;
    v1::Cascade& cascade = *diagnosis.add_cascades();
    cascade.set_pod(Excerpt(report.pods(member->pod).metadata().name()));
    // The members of a gang die of the same words.
    if (fact.text.empty() || fact.text != text || fact.found_at != found_at) {
      how = fact.text.empty() && fact.value.empty()
                ? std::string(fact.row->meaning)
                : ValueOf(report, fact);
    }
    text = fact.text;
    found_at = fact.found_at;
    cascade.set_how(how);
    const auto& exit_code = member->state.exit_code;
    if (exit_code.has_value()) cascade.set_exit_code(*exit_code);
  }
}

// The words the diagnosis is about: the culprit's own, or the object's.
std::string_view MessageOf(const v1::FailureReport& report,
                           const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && !winner->text.empty()) return winner->text;
  const std::string_view of_pod = conclusion.gang.state.message;
  if (!of_pod.empty()) return of_pod;
  if (report.has_exit()) return report.exit().message();
  return report.creation_error().message();
}

bool Lacks(const Context& context, const Conclusion& conclusion, Part part) {
  const v1::FailureReport& report = context.report;
  switch (part) {
    case Part::kNodes:
      return report.nodes().empty();
    case Part::kEvents:
      return report.events().empty();
    case Part::kWorkload:
      return !report.has_kueue_workload() && MayBeQueued(context.owners);
    case Part::kUsage:
      return report.usage().empty();
    case Part::kMessage:
      return MessageOf(report, conclusion).empty();
    case Part::kPods:
      return report.pods().empty();
    case Part::kOwner:
      return report.jobs().empty() && context.owners.views.empty();
    case Part::kEnds:
      return conclusion.gang.running > 0;
  }
  return false;
}

// What of the report would tell, with the name of whom to look at for "%".
std::string WhatTells(const Alternative& row, const v1::FailureReport& report,
                      const Conclusion& conclusion,
                      const v1::Culprit& culprit) {
  const std::size_t mark = row.what.find('%');
  if (mark == std::string_view::npos) return std::string(row.what);
  const Pod* pod =
      conclusion.gang.nobody ? nullptr : BlamedOf(report, conclusion);
  std::string name = "the workload";
  if (pod != nullptr && !pod->metadata().name().empty()) {
    name = "pod " + Excerpt(pod->metadata().name());
    if (row.part == Part::kNodes && !pod->spec().node_name().empty() &&
        row.what == "the node of %") {
      return "node/" + Excerpt(pod->spec().node_name());
    }
  } else if (!culprit.name().empty()) {
    name = absl::StrCat(culprit.kind(), " ", culprit.name());
  }
  return absl::StrCat(std::string(row.what.substr(0, mark)), name,
                      std::string(row.what.substr(mark + 1)));
}

// Unless it is the answer, or was considered.
void Consider(v1::Cause cause, absl::FunctionRef<std::string()> why_not,
              v1::Diagnosis& diagnosis) {
  const auto& known = diagnosis.considered();
  if (cause == diagnosis.cause() || known.size() >= kMaxConsidered ||
      std::ranges::find(known, cause, &v1::ConsideredCause::cause) !=
          known.end()) {
    return;
  }
  auto& considered = *diagnosis.add_considered();
  considered.set_cause(cause);
  considered.set_why_not(why_not());
}

// Whoever sends a hint is told what became of it.
void ConsiderHints(const v1::FailureReport& report, const Candidates& facts,
                   v1::Diagnosis& diagnosis) {
  for (const Candidate& fact : facts) {
    if (fact.place.root != Root::kHints) continue;
    const auto why = [&] {
      return absl::StrCat(
          fact.decides() ? "another hint is surer" : fact.why_not, ": ",
          ValueOf(report, fact));
    };
    Consider(fact.cause, why, diagnosis);
  }
}

// Causes that did not win, the strongest first; then other readings of the one
// that did.
void ConsiderOthers(const Context& context, const Conclusion& conclusion,
                    v1::Diagnosis& diagnosis) {
  const v1::FailureReport& report = context.report;
  std::vector<const Candidate*> others;
  for (const Candidate& fact : conclusion.facts) {
    if (fact.row != nullptr) others.push_back(&fact);
  }
  std::ranges::stable_sort(others,
                           [](auto* a, auto* b) { return Stronger(*a, *b); });
  for (const Candidate* fact : others) {
    const auto why = [&] {
      return absl::StrCat(
          fact->why_not[0] != '\0' ? fact->why_not : "the evidence is weaker",
          ": ", ValueOf(report, *fact));
    };
    Consider(fact->cause, why, diagnosis);
  }
  for (const Alternative& row : RowOf(conclusion.cause).alternatives) {
    const auto why = [&] {
      return Lacks(context, conclusion, row.part)
                 ? absl::StrCat(
                       kNotRuledOut, "the report lacks ",
                       WhatTells(row, report, conclusion, diagnosis.culprit()))
                 : std::string(row.why_not);
    };
    Consider(row.other, why, diagnosis);
  }
}

// What would tell the readings of an unsure cause apart.
void FillNeeded(const Context& context, const Conclusion& conclusion,
                v1::Diagnosis& diagnosis) {
  for (const Alternative& row : RowOf(conclusion.cause).alternatives) {
    if (!Lacks(context, conclusion, row.part)) continue;
    std::string what =
        WhatTells(row, context.report, conclusion, diagnosis.culprit());
    const auto& known = diagnosis.needed_evidence();
    if (std::ranges::find(known, what, &v1::NeededEvidence::what) !=
        known.end()) {
      continue;
    }
    auto& needed = *diagnosis.add_needed_evidence();
    needed.set_what(std::move(what));
    needed.set_why(std::string(row.why));
  }
}

// The row that named the cause: "exit-code/143".
std::string SignatureOf(const Candidate& naming) {
  std::string signature;
  if (!naming.table.empty()) signature.append(naming.table).append("/");
  signature.append(naming.row->key);
  return signature;
}

std::string FingerprintOf(const v1::FailureReport& report,
                          const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  const bool has_text = winner != nullptr && !winner->text.empty();
  const std::string_view line =
      has_text ? LineAround(winner->text, winner->found_at).line
               : LastLine(MessageOf(report, conclusion));
  std::string_view pod, node, space;
  if (const Pod* subject = SubjectOf(report, conclusion)) {
    pod = subject->metadata().name();
    node = subject->spec().node_name();
    space = subject->metadata().namespace_();
  }
  return Fingerprint(conclusion.cause, conclusion.exit_code, line,
                     {pod, node, space});
}

}  // namespace

void WriteDiagnosis(const Context& context, const Conclusion& conclusion,
                    bool full, v1::Diagnosis& diagnosis) {
  const v1::FailureReport& report = context.report;
  diagnosis.set_cause(conclusion.cause);
  diagnosis.set_fault_domain(DomainOf(context, conclusion));
  diagnosis.set_confidence(conclusion.confidence);
  diagnosis.set_situation(conclusion.situation);
  OutlookFound outlook = OutlookOf(context, conclusion);
  diagnosis.set_outlook(outlook.outlook);
  diagnosis.set_outlook_reason(std::move(outlook.reason));
  FillCulprit(report, conclusion, *diagnosis.mutable_culprit());
  if (diagnosis.culprit().ByteSizeLong() == 0) diagnosis.clear_culprit();
  FillEvidence(report, conclusion, diagnosis);
  FillCascades(report, conclusion.gang, diagnosis);
  ConsiderHints(report, conclusion.facts, diagnosis);
  const bool unsure = conclusion.confidence == v1::Diagnosis::LOW;
  if (full || unsure) ConsiderOthers(context, conclusion, diagnosis);
  if (unsure) FillNeeded(context, conclusion, diagnosis);
  if (Known(conclusion.ended_at)) {
    diagnosis.mutable_finished_at()->set_seconds(conclusion.ended_at);
  }
  if (conclusion.exit_code.has_value()) {
    diagnosis.set_exit_code(*conclusion.exit_code);
  }
  if (const Candidate* naming = conclusion.naming()) {
    diagnosis.set_signature(SignatureOf(*naming));
  }
  diagnosis.set_fingerprint(FingerprintOf(report, conclusion));
  diagnosis.set_summary(Summarize(report, conclusion, diagnosis));
}

}  // namespace mulligan::demystify
