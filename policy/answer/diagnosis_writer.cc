#include "policy/answer/diagnosis_writer.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "policy/base/utf8.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/evidence.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/judged.h"
#include "policy/demystify/readers/pod_reader.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/words/other_readings.h"
#include "policy/words/summary.h"

namespace mulligan {
namespace {

using demystify::Candidate;
using demystify::Conclusion;

void FillCulprit(const Culprit& culprit, v1::Diagnosis& diagnosis) {
  if (culprit.pod.empty() && culprit.container.empty() &&
      culprit.node.empty() && culprit.name.empty()) {
    return;
  }
  v1::Culprit& written = *diagnosis.mutable_culprit();
  written.set_pod(culprit.pod);
  written.set_container(culprit.container);
  written.set_node(culprit.node);
  written.set_kind(culprit.kind);
  written.set_name(culprit.name);
}

// What failed is the workload, not the pod that it was read as.
void NameAttempt(const v1::WorkloadReference& workload,
                 v1::Diagnosis& diagnosis) {
  if (workload.name().empty()) return;
  diagnosis.mutable_culprit()->set_kind(Excerpt(workload.kind()));
  diagnosis.mutable_culprit()->set_name(Excerpt(workload.name()));
}

void FillCodes(const Failure& failure, v1::Diagnosis& diagnosis) {
  diagnosis.set_cause(failure.cause);
  diagnosis.set_fault_domain(failure.domain);
  diagnosis.set_confidence(failure.confidence);
  diagnosis.set_situation(failure.situation);
  diagnosis.set_outlook(failure.outlook);
  FillCulprit(failure.culprit, diagnosis);
  diagnosis.set_derived_cause(failure.derived_cause);
  diagnosis.set_signature(failure.signature);
  diagnosis.set_fingerprint(failure.fingerprint);
  if (failure.exit_code) diagnosis.set_exit_code(*failure.exit_code);
  if (IsSet(failure.finished_at)) {
    *diagnosis.mutable_finished_at() = failure.finished_at;
  }
}

// Adds the facts that decide, support or were overridden.
void FillEvidence(const v1::FailureReport& report, const Conclusion& conclusion,
                  v1::Diagnosis& diagnosis) {
  const demystify::EvidenceFound found = demystify::EvidenceOf(conclusion);
  for (const Candidate* fact : found.facts) {
    v1::Evidence& evidence = *diagnosis.add_evidence();
    evidence.set_path(demystify::PathOf(fact->place));
    evidence.set_value(demystify::ValueOf(report, *fact));
    evidence.set_meaning(std::string(fact->row->meaning));
    evidence.set_weight(demystify::WeightOf(*fact));
    evidence.set_object(
        demystify::ObjectText(demystify::ObjectOf(report, fact->place)));
  }
  if (found.overrode != nullptr) {
    diagnosis.mutable_evidence(0)->set_overrode(
        words::Alone(report, *found.overrode));
  }
}

void FillCascades(const v1::FailureReport& report, const demystify::Gang& gang,
                  bool texts, v1::Diagnosis& diagnosis) {
  std::string_view text;
  std::size_t found_at = 0;
  std::string how;
  for (const demystify::PodReading* member : gang.cascades) {
    const Candidate& fact = member->best;
    v1::Cascade& cascade = *diagnosis.add_cascades();
    cascade.set_pod(Excerpt(report.pods(member->pod).metadata().name()));
    const auto& exit_code = member->state.exit_code;
    if (exit_code.has_value()) cascade.set_exit_code(*exit_code);
    if (!texts) continue;
    // Members of a gang often have the same message.
    if (fact.text.empty() || fact.text != text || fact.found_at != found_at) {
      how = fact.text.empty() && fact.value.empty()
                ? std::string(fact.row->meaning)
                : demystify::ValueOf(report, fact);
    }
    text = fact.text;
    found_at = fact.found_at;
    cascade.set_how(how);
  }
}

}  // namespace

void WriteDiagnosis(const Findings& findings, const Failure& failure,
                    Detail detail, v1::Diagnosis& diagnosis) {
  const demystify::Context& context = findings.judged->context;
  const Conclusion& conclusion = *failure.found;
  const bool texts = detail != Detail::kCodes;
  FillCodes(failure, diagnosis);
  if (context.report.has_ended_attempt()) {
    NameAttempt(context.report.workload(), diagnosis);
  }
  FillCascades(context.report, conclusion.gang, texts, diagnosis);
  if (!texts) return;
  diagnosis.set_outlook_reason(failure.outlook_reason);
  diagnosis.set_derived_reason(failure.derived_reason);
  FillEvidence(context.report, conclusion, diagnosis);
  const words::Readings readings = words::ReadingsOf(
      context, conclusion, failure.culprit, detail == Detail::kFull);
  for (const words::Considered& one : readings.considered) {
    v1::ConsideredCause& considered = *diagnosis.add_considered();
    considered.set_cause(one.cause);
    considered.set_why_not(one.why_not);
  }
  for (const words::Needed& one : readings.needed) {
    v1::NeededEvidence& needed = *diagnosis.add_needed_evidence();
    needed.set_what(one.what);
    needed.set_why(one.why);
  }
  diagnosis.set_summary(words::Summarize(context.owners, conclusion, failure));
}

}  // namespace mulligan
