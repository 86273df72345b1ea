#include "policy/demystify/diagnosis_writer.h"

#include <algorithm>
#include <string>
#include <vector>

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

class Writer {
 public:
  Writer(const Context& context, const Conclusion& conclusion,
         v1::Diagnosis& diagnosis)
      : context_(context),
        report_(context.report),
        conclusion_(conclusion),
        winner_(conclusion.decisive()),
        naming_(conclusion.naming()),
        diagnosis_(diagnosis) {}

  void Write(bool full) {
    diagnosis_.set_cause(conclusion_.cause);
    diagnosis_.set_fault_domain(DomainOf(context_, conclusion_));
    diagnosis_.set_confidence(conclusion_.confidence);
    diagnosis_.set_situation(conclusion_.situation);
    WriteOutlook();
    WriteCulprit();
    WriteEvidence();
    WriteCascades();
    ConsiderHints();
    const bool unsure = conclusion_.confidence == v1::Diagnosis::LOW;
    if (full || unsure) WriteConsidered();
    if (unsure) WriteNeeded();
    WriteRest();
    diagnosis_.set_summary(Summarize(report_, conclusion_, diagnosis_));
  }

 private:
  const kubernetes::core::v1::Pod* Pod() const {
    const int index = conclusion_.gang.subject();
    return index >= 0 ? &report_.pods(index) : nullptr;
  }

  // Whom to look at: the member that the root's words name, else the root.
  const kubernetes::core::v1::Pod* Blamed() const {
    const Gang& gang = conclusion_.gang;
    return gang.named >= 0 ? &report_.pods(gang.named) : Pod();
  }

  void WriteOutlook() {
    OutlookFound found = OutlookOf(context_, conclusion_);
    diagnosis_.set_outlook(found.outlook);
    diagnosis_.set_outlook_reason(std::move(found.reason));
  }

  static void WritePod(const kubernetes::core::v1::Pod& pod,
                       v1::Culprit& culprit) {
    culprit.set_pod(Excerpt(pod.metadata().name()));
    culprit.set_node(Excerpt(pod.spec().node_name()));
  }

  void WriteCulprit() {
    v1::Culprit& culprit = *diagnosis_.mutable_culprit();
    if (conclusion_.gang.named >= 0) {
      WritePod(report_.pods(conclusion_.gang.named), culprit);
    } else if (const auto* pod = Pod()) {
      if (!conclusion_.gang.nobody) WritePod(*pod, culprit);
      if (const auto* container = CulpritContainer(report_, conclusion_)) {
        culprit.set_container(Excerpt(container->name()));
      }
    } else if (!conclusion_.named_pod.empty()) {
      culprit.set_pod(Excerpt(conclusion_.named_pod));
      culprit.set_container(Excerpt(conclusion_.named_container));
    }
    if (winner_ != nullptr && winner_->place.root != Root::kPods) {
      WriteObject(culprit);
    }
    if (culprit.ByteSizeLong() == 0) diagnosis_.clear_culprit();
  }

  void WriteObject(v1::Culprit& culprit) {
    const ObjectName object = ObjectOf(report_, winner_->place);
    if (object.kind == "Pod") {
      if (culprit.pod().empty()) culprit.set_pod(Excerpt(object.name));
    } else if (object.kind == "Node") {
      if (culprit.node().empty()) culprit.set_node(Excerpt(object.name));
    } else if (!object.name.empty()) {
      culprit.set_kind(Excerpt(object.kind));
      culprit.set_name(Excerpt(object.name));
    }
  }

  void WriteFact(const Candidate& fact) {
    v1::Evidence& evidence = *diagnosis_.add_evidence();
    evidence.set_path(PathOf(fact.place));
    evidence.set_value(ValueOf(report_, fact));
    evidence.set_meaning(std::string(fact.row->meaning));
    evidence.set_weight(WeightOf(fact));
    evidence.set_object(ObjectText(ObjectOf(report_, fact.place)));
  }

  // The fact that named the cause, what supports it, and what it overrode.
  void WriteEvidence() {
    if (winner_ == nullptr) return;
    WriteFact(*naming_);
    const Candidate* overrode = nullptr;
    int left = kMaxEvidence - 1;
    for (const Candidate& fact : conclusion_.facts) {
      if (&fact == naming_ || fact.row == nullptr) continue;
      if (fact.cause == naming_->cause) {
        if (fact.row != naming_->row && left-- > 0) WriteFact(fact);
      } else if (fact.tier >= Tier::kGeneric &&
                 (overrode == nullptr || Stronger(fact, *overrode))) {
        overrode = &fact;
      }
    }
    std::stable_sort(diagnosis_.mutable_evidence()->begin() + 1,
                     diagnosis_.mutable_evidence()->end(),
                     [](const v1::Evidence& a, const v1::Evidence& b) {
                       return a.weight() < b.weight();
                     });
    if (overrode != nullptr) {
      diagnosis_.mutable_evidence(0)->set_overrode(Alone(report_, *overrode));
    }
  }

  void WriteCascades() {
    std::string_view text;
    std::size_t found_at = 0;
    std::string how;
    for (const PodReading* member : conclusion_.gang.cascades) {
      const Candidate& fact = member->best;
      v1::Cascade& cascade = *diagnosis_.add_cascades();
      cascade.set_pod(Excerpt(report_.pods(member->pod).metadata().name()));
      // The members of a gang die of the same words.
      if (fact.text.empty() || fact.text != text || fact.found_at != found_at) {
        how = fact.text.empty() && fact.value.empty()
                  ? std::string(fact.row->meaning)
                  : ValueOf(report_, fact);
      }
      text = fact.text;
      found_at = fact.found_at;
      cascade.set_how(how);
      const auto& exit_code = member->state.exit_code;
      if (exit_code.has_value()) cascade.set_exit_code(*exit_code);
    }
  }

  bool IsNew(v1::Cause cause) const {
    if (cause == conclusion_.cause ||
        diagnosis_.considered_size() >= kMaxConsidered) {
      return false;
    }
    return std::ranges::find(diagnosis_.considered(), cause,
                             &v1::ConsideredCause::cause) ==
           diagnosis_.considered().end();
  }

  void Consider(v1::Cause cause, std::string why_not) {
    auto& considered = *diagnosis_.add_considered();
    considered.set_cause(cause);
    considered.set_why_not(std::move(why_not));
  }

  // Whoever sends a hint is told what became of it.
  void ConsiderHints() {
    for (const Candidate& fact : conclusion_.facts) {
      if (fact.place.root == Root::kHints && IsNew(fact.cause)) {
        Consider(fact.cause,
                 absl::StrCat(
                     fact.decides() ? "another hint is surer" : fact.why_not,
                     ": ", ValueOf(report_, fact)));
      }
    }
  }

  void WriteConsidered() {
    std::vector<const Candidate*> others;
    for (const Candidate& fact : conclusion_.facts) {
      const bool other = fact.cause != conclusion_.cause;
      if (fact.row != nullptr && other) others.push_back(&fact);
    }
    std::ranges::stable_sort(others,
                             [](auto* a, auto* b) { return Stronger(*a, *b); });
    for (const Candidate* fact : others) {
      if (!IsNew(fact->cause)) continue;
      const std::string why =
          fact->why_not[0] != '\0' ? fact->why_not : "the evidence is weaker";
      Consider(fact->cause, absl::StrCat(why, ": ", ValueOf(report_, *fact)));
    }
    for (const Alternative& row : RowOf(conclusion_.cause).alternatives) {
      if (!IsNew(row.other)) continue;
      Consider(row.other,
               Missing(row.part)
                   ? absl::StrCat(kNotRuledOut, "the report lacks ", What(row))
                   : std::string(row.why_not));
    }
  }

  bool Missing(Part part) const {
    switch (part) {
      case Part::kNodes:
        return report_.nodes().empty();
      case Part::kEvents:
        return report_.events().empty();
      case Part::kWorkload:
        return !report_.has_kueue_workload() && MayBeQueued(context_.owners);
      case Part::kUsage:
        return report_.usage().empty();
      case Part::kMessage:
        return Message().empty();
      case Part::kPods:
        return report_.pods().empty();
      case Part::kOwner:
        return report_.jobs().empty() && context_.owners.views.empty();
      case Part::kEnds:
        return conclusion_.gang.running > 0;
    }
    return false;
  }

  // The words the diagnosis is about: the culprit's own, or the object's.
  std::string_view Message() const {
    if (winner_ != nullptr && !winner_->text.empty()) return winner_->text;
    if (!conclusion_.gang.state.message.empty()) {
      return conclusion_.gang.state.message;
    }
    if (report_.has_exit()) return report_.exit().message();
    if (report_.has_creation_error()) return report_.creation_error().message();
    return {};
  }

  std::string What(const Alternative& row) const {
    const std::size_t mark = row.what.find('%');
    if (mark == std::string_view::npos) return std::string(row.what);
    const auto* pod = conclusion_.gang.nobody ? nullptr : Blamed();
    std::string name = "the workload";
    if (pod != nullptr && !pod->metadata().name().empty()) {
      name = "pod " + Excerpt(pod->metadata().name());
      if (row.part == Part::kNodes && !pod->spec().node_name().empty() &&
          row.what == "the node of %") {
        return "node/" + Excerpt(pod->spec().node_name());
      }
    } else if (!diagnosis_.culprit().name().empty()) {
      name = absl::StrCat(diagnosis_.culprit().kind(), " ",
                          diagnosis_.culprit().name());
    }
    return absl::StrCat(std::string(row.what.substr(0, mark)), name,
                        std::string(row.what.substr(mark + 1)));
  }

  void WriteNeeded() {
    for (const Alternative& row : RowOf(conclusion_.cause).alternatives) {
      if (!Missing(row.part)) continue;
      const std::string what = What(row);
      const auto& known = diagnosis_.needed_evidence();
      if (std::ranges::any_of(known, [&what](const v1::NeededEvidence& needed) {
            return needed.what() == what;
          })) {
        continue;
      }
      auto& needed = *diagnosis_.add_needed_evidence();
      needed.set_what(what);
      needed.set_why(std::string(row.why));
    }
  }

  void WriteRest() {
    if (Known(conclusion_.ended_at)) {
      diagnosis_.mutable_finished_at()->set_seconds(conclusion_.ended_at);
    }
    if (conclusion_.exit_code.has_value()) {
      diagnosis_.set_exit_code(*conclusion_.exit_code);
    }
    if (winner_ != nullptr) {
      std::string& signature = *diagnosis_.mutable_signature();
      if (!naming_->table.empty()) signature.append(naming_->table).append("/");
      signature.append(naming_->row->key);
    }
    const bool has_text = winner_ != nullptr && !winner_->text.empty();
    const std::string_view line =
        has_text ? LineAround(winner_->text, winner_->found_at).line
                 : LastLine(Message());
    std::string_view pod, node, space;
    if (const auto* culprit = Pod()) {
      pod = culprit->metadata().name();
      node = culprit->spec().node_name();
      space = culprit->metadata().namespace_();
    }
    diagnosis_.set_fingerprint(Fingerprint(
        conclusion_.cause, conclusion_.exit_code, line, {pod, node, space}));
  }

  const Context& context_;
  const v1::FailureReport& report_;
  const Conclusion& conclusion_;
  const Candidate* const winner_;
  const Candidate* const naming_;
  v1::Diagnosis& diagnosis_;
};

}  // namespace

void WriteDiagnosis(const Context& context, const Conclusion& conclusion,
                    bool full, v1::Diagnosis& diagnosis) {
  Writer(context, conclusion, diagnosis).Write(full);
}

}  // namespace mulligan::demystify
