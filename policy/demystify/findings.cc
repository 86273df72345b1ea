#include "policy/demystify/findings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "policy/base/excerpt.h"
#include "policy/demystify/odd_values.h"
#include "policy/demystify/readers/event_reader.h"
#include "policy/demystify/readers/operator_reader.h"
#include "policy/request/kinds.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Of a thousand odd pods the first few are enough.
constexpr std::size_t kMaxWarnings = 8;

void CheckCreationError(const v1::CreationError& error,
                        std::vector<std::string>& warnings) {
  if (!v1::CreationError::Phase_IsValid(error.phase())) {
    warnings.push_back(
        absl::StrCat("creationError.phase ", static_cast<int>(error.phase()),
                     " is not known: it is taken as unspecified"));
  }
  if (error.http_code() == 0) return;
  if (!IsErrorCode(error.http_code())) {
    warnings.push_back(absl::StrCat("creationError.httpCode ",
                                    error.http_code(),
                                    " is not the code of an error"));
  } else if (error.phase() == v1::CreationError::BUILD) {
    warnings.push_back(absl::StrCat(
        "creationError.phase BUILD says that no call was made, httpCode ",
        error.http_code(), " that one was answered: the code is believed"));
  }
}

Seconds ReadySince(const core::Pod& pod) {
  for (const core::PodCondition& condition : pod.status().conditions()) {
    if (condition.type() == "Ready" && condition.status() == "False") {
      return ToSeconds(condition.last_transition_time());
    }
  }
  return kUnknownTime;
}

}  // namespace

Seconds SinceOf(const Context& context, const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  if (winner == nullptr) return kUnknownTime;
  Seconds since = winner->at;
  if (winner->place.root == Root::kEvents) {
    since = FirstTime(context.report.events(winner->place.index));
  }
  if (conclusion.gang.root < 0) return since;
  const core::Pod& pod = context.report.pods(conclusion.gang.root);
  if (conclusion.gang.state.end == End::kNone) {
    // Stuck: since the kubelet first found it not ready.
    since = Earlier(since, ReadySince(pod));
    if (!Known(since)) since = ToSeconds(pod.status().start_time());
    if (!Known(since)) since = ToSeconds(pod.metadata().creation_timestamp());
    return since;
  }
  return Earlier(since, conclusion.gang.state.finished_at);
}

void CheckReport(const Context& context, std::vector<std::string>& warnings) {
  const v1::FailureReport& report = context.report;
  const std::string& kind = report.workload().kind();
  if (!kind.empty() && !IsKnownKind(kind)) {
    warnings.push_back(absl::StrCat("workload kind ", Excerpt(kind),
                                    " is not known: it is judged by its pods"));
  }
  if (report.has_creation_error()) {
    CheckCreationError(report.creation_error(), warnings);
  }
  if (context.strange_events > 0) {
    warnings.push_back(
        absl::StrCat(context.strange_events,
                     context.strange_events == 1 ? " event is" : " events are",
                     " about other workloads and not read"));
  }
  CheckObjects(context, warnings);
  for (const core::Pod& pod : report.pods()) {
    if (warnings.size() >= kMaxWarnings) return;
    CheckPod(context, pod, warnings);
  }
}

}  // namespace mulligan::demystify
