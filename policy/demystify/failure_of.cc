#include "policy/demystify/failure_of.h"

#include <algorithm>
#include <string_view>

#include "policy/base/times.h"
#include "policy/demystify/blame.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/fingerprint.h"
#include "policy/demystify/other_causes.h"
#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/views/spark_words.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using demystify::Candidate;
using demystify::Conclusion;

std::string FingerprintOf(const v1::FailureReport& report,
                          const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  const bool has_text = winner != nullptr && !winner->text.empty();
  const std::string_view line =
      has_text ? demystify::LineAround(winner->text, winner->found_at).line
               : demystify::LastLine(demystify::MessageOf(report, conclusion));
  std::string_view pod, node, space;
  if (const int subject = conclusion.gang.subject(); subject >= 0) {
    const core::Pod& object = report.pods(subject);
    pod = object.metadata().name();
    node = object.spec().node_name();
    space = object.metadata().namespace_();
  }
  return demystify::Fingerprint(conclusion.cause, conclusion.exit_code, line,
                                {pod, node, space});
}

// Returns the end of the container that the conclusion is about: the deciding
// one, else the last; null if it has none.
const core::ContainerStateTerminated* DecidingEnd(
    const core::ContainerStatus& status, const Candidate* naming) {
  const bool before =
      status.last_state().has_terminated() && naming != nullptr &&
      std::string_view(naming->place.leaf).starts_with(".lastState.");
  if (status.state().has_terminated() && !before) {
    return &status.state().terminated();
  }
  return status.last_state().has_terminated()
             ? &status.last_state().terminated()
             : nullptr;
}

// Returns the DecidingEnd of the named container, including sidecars; null if
// `finished_at` is known and differs.
const core::ContainerStateTerminated* EndIn(const core::Pod& pod,
                                            const std::string& container,
                                            const Candidate* naming,
                                            demystify::Seconds finished_at) {
  for (const auto* statuses : {&pod.status().container_statuses(),
                               &pod.status().init_container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      if (status.name() != container) continue;
      const auto* end = DecidingEnd(status, naming);
      if (end != nullptr && (!demystify::Known(finished_at) ||
                             end->finished_at().seconds() == finished_at)) {
        return end;
      }
    }
  }
  return nullptr;
}

// Without a known culprit, uses a member that ended when the failure did.
std::optional<absl::Duration> RunTimeOf(const v1::FailureReport& report,
                                        const Conclusion& conclusion,
                                        const Culprit& culprit) {
  const Candidate* naming = conclusion.naming();
  const core::ContainerStateTerminated* end = nullptr;
  if (culprit.index >= 0) {
    end = EndIn(report.pods(culprit.index), culprit.container, naming,
                demystify::kUnknownTime);
  } else if (culprit.pod.empty()) {
    const demystify::Seconds ended =
        demystify::Known(conclusion.ended_at) ? conclusion.ended_at : 0;
    for (int i = 0; i < report.pods_size() && end == nullptr; ++i) {
      end = EndIn(report.pods(i), culprit.container, naming, ended);
    }
  }
  if (end == nullptr || !IsSet(end->started_at()) ||
      !IsSet(end->finished_at())) {
    return std::nullopt;
  }
  const absl::Duration ran =
      ToTime(end->finished_at()) - ToTime(end->started_at());
  if (ran < absl::ZeroDuration()) return std::nullopt;
  return ran;
}

}  // namespace

Failure FailureOf(const demystify::Context& context,
                  const Conclusion& conclusion) {
  const v1::FailureReport& report = context.report;
  Failure failure;
  failure.cause = conclusion.cause;
  failure.domain = demystify::DomainOf(context, conclusion);
  demystify::OutlookFound outlook = demystify::OutlookOf(context, conclusion);
  failure.outlook = outlook.outlook;
  failure.outlook_reason = std::move(outlook.reason);
  failure.fatal_if_repeated = outlook.fatal_if_repeated;
  failure.confidence = conclusion.confidence;
  failure.situation = conclusion.situation;
  failure.culprit = demystify::CulpritOf(report, conclusion);
  failure.short_container = failure.culprit.container;
  if (const Candidate* naming = conclusion.naming()) {
    if (!naming->table.empty()) failure.signature.append(naming->table) += '/';
    failure.signature.append(naming->row->key);
    if (failure.culprit.container == spark::kDriverContainer) {
      failure.short_container = spark::ContainerShortOfMemory(
          failure.culprit.container, demystify::ValueOf(report, *naming));
    }
  }
  failure.fingerprint = FingerprintOf(report, conclusion);
  failure.exit_code = conclusion.exit_code;
  if (demystify::Known(conclusion.ended_at)) {
    failure.finished_at.set_seconds(conclusion.ended_at);
  }
  failure.ran_for = RunTimeOf(report, conclusion, failure.culprit);
  failure.cascades = static_cast<int>(conclusion.gang.cascades.size());
  // No more evidence will follow for an attempt without objects.
  failure.doubtful =
      conclusion.confidence == v1::Diagnosis::LOW &&
      !report.has_ended_attempt() &&
      std::ranges::any_of(RowOf(conclusion.cause).alternatives,
                          [&](const Alternative& reading) {
                            return demystify::Lacks(context, conclusion,
                                                    reading.part);
                          });
  failure.found = &conclusion;
  return failure;
}

}  // namespace mulligan
