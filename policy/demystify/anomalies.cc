#include "policy/demystify/anomalies.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/request/kind_names.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Later anomalies are omitted.
constexpr std::size_t kMaxWarnings = 8;

// Clocks of caller and cluster may differ by this many seconds.
constexpr Seconds kFuture = 60;

using Warnings = std::vector<std::string>;

bool InFuture(const Context& context, Seconds time) {
  return Known(time) && Known(context.now) && time > context.now + kFuture;
}

template <typename Conditions>
Seconds NewestOf(const Conditions& conditions) {
  Seconds newest = kUnknownTime;
  for (const auto& condition : conditions) {
    newest = std::max(newest, ToSeconds(condition.last_transition_time()));
  }
  return newest;
}

Seconds Newest(const core::PodStatus& status) {
  Seconds newest =
      std::max(ToSeconds(status.start_time()), NewestOf(status.conditions()));
  for (const core::ContainerStatus& container : status.container_statuses()) {
    newest = std::max(newest,
                      ToSeconds(container.state().terminated().finished_at()));
  }
  return newest;
}

Seconds Newest(const WorkloadView& view) {
  Seconds newest = NewestOf(view.conditions);
  for (const google::protobuf::Timestamp* time : view.times) {
    newest = std::max(newest, ToSeconds(*time));
  }
  return newest;
}

bool HasTwo(const core::ContainerState& state) {
  return int{state.has_waiting()} + int{state.has_running()} +
             int{state.has_terminated()} >
         1;
}

bool InTwoStates(const core::ContainerStatus& status) {
  return HasTwo(status.state()) || HasTwo(status.last_state());
}

bool IsBackwards(const core::ContainerState& state) {
  const core::ContainerStateTerminated& run = state.terminated();
  return Before(ToSeconds(run.finished_at()), ToSeconds(run.started_at()));
}

bool EndedBeforeItStarted(const core::ContainerStatus& status) {
  return IsBackwards(status.state()) || IsBackwards(status.last_state());
}

// Anomalies of containers, each reported once per pod.
constexpr const char* kContainerAnomalies[] = {
    "more than one of waiting, running and terminated is set",
    "restartCount is negative", "finishedAt is before startedAt"};

// Returns the anomalies as bits, in that order.
unsigned AnomaliesOf(const core::ContainerStatus& status) {
  return (InTwoStates(status) ? 1U : 0U) |
         (status.restart_count() < 0 ? 2U : 0U) |
         (EndedBeforeItStarted(status) ? 4U : 0U);
}

constexpr char kInTheFuture[] =
    " has times later than observedAt: clocks differ";

// Warns of the first anomaly of each kind.
void CheckPod(const Context& context, const core::Pod& pod,
              Warnings& warnings) {
  const core::PodStatus& status = pod.status();
  const std::string& phase = status.phase();
  const auto warn = [&](std::string_view what) {
    warnings.push_back(absl::StrCat("pod ", Excerpt(pod.metadata().name())));
    warnings.back().append(what);
  };
  if (!phase.empty() && phase != "Failed" && phase != "Running" &&
      phase != "Pending" && phase != "Succeeded" && phase != "Unknown") {
    warn(absl::StrCat(": phase \"", Excerpt(phase), "\" is not known"));
  }
  if (InFuture(context, Newest(status))) warn(kInTheFuture);
  unsigned reported = 0;
  for (const auto* statuses :
       {&status.init_container_statuses(), &status.container_statuses()}) {
    for (const core::ContainerStatus& container : *statuses) {
      const unsigned found = AnomaliesOf(container) & ~reported;
      reported |= found;
      for (std::size_t i = 0; found >> i != 0; ++i) {
        if ((found >> i & 1) == 0) continue;
        warn(absl::StrCat(", container ", Excerpt(container.name()), ": ",
                          kContainerAnomalies[i]));
      }
    }
  }
}

// Returns for example "active is -1, failed is -2"; empty if none is negative.
std::string NegativesIn(std::span<const ObjectCount> counts) {
  std::string found;
  for (const ObjectCount& count : counts) {
    if (count.value >= 0) continue;
    absl::StrAppend(&found, found.empty() ? "" : ", ", count.field, " is ",
                    count.value);
  }
  return found;
}

// Warnings that were already given and are not repeated for each Job.
struct Reported {
  bool future = false;
  bool negative = false;
};

void CheckObject(const Context& context, const WorkloadView& view,
                 std::span<const ObjectCount> counts, Reported& reported,
                 Warnings& warnings) {
  const std::string& name = view.meta->name();
  const auto warn = [&](std::string_view what) {
    warnings.push_back(absl::StrCat(Excerpt(view.kind_name),
                                    name.empty() ? "" : " ", Excerpt(name)));
    warnings.back().append(what);
  };
  for (const UnknownValue& unknown : view.unknown_values) {
    warn(absl::StrCat(": ", unknown.leaf + 1, " \"", Excerpt(unknown.value),
                      "\" is not known"));
  }
  if (!reported.future && InFuture(context, Newest(view))) {
    reported.future = true;
    warn(kInTheFuture);
  }
  const std::string negatives = reported.negative ? "" : NegativesIn(counts);
  if (negatives.empty()) return;
  reported.negative = true;
  warn(absl::StrCat(": ", negatives, ": no count is negative"));
}

void CheckJobs(const Context& context, Warnings& warnings) {
  Reported reported;
  for (const auto& job : context.report.jobs()) {
    const auto& spec = job.spec();
    const auto& status = job.status();
    const ObjectCount counts[] = {
        {"parallelism", spec.parallelism()},
        {"completions", spec.completions()},
        {"backoffLimit", spec.backoff_limit()},
        {"backoffLimitPerIndex", spec.backoff_limit_per_index()},
        {"maxFailedIndexes", spec.max_failed_indexes()},
        {"active", status.active()},
        {"succeeded", status.succeeded()},
        {"failed", status.failed()}};
    CheckObject(context, ViewOf(job), counts, reported, warnings);
  }
}

void CheckOwners(const Context& context, Warnings& warnings) {
  const auto check = [&](const WorkloadView& view) {
    Reported reported;
    CheckObject(context, view, view.counts, reported, warnings);
  };
  for (const WorkloadView& view : context.owners.views) check(view);
  if (const auto queue = QueueIn(context.report)) check(*queue);
}

void CheckCreationError(const v1::CreationError& error, Warnings& warnings) {
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

// Adds for example "19500 failed and 20 running pods were not looked at: ..."
void CheckOmitted(const v1::PodCounts& counts, Warnings& warnings) {
  const struct {
    std::int32_t pods;
    const char* what;
  } omitted[] = {{counts.failed(), " failed"},
                 {counts.running(), " running"},
                 {counts.pending(), " pending"},
                 {counts.succeeded(), " succeeded"}};
  std::int64_t sum = 0;
  std::string text;
  for (const auto& one : omitted) {
    if (one.pods <= 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", one.pods, one.what);
    sum += one.pods;
  }
  if (sum == 0) return;
  absl::StrAppend(
      &text, sum == 1 ? " pod was not looked at" : " pods were not looked at",
      ": the report left out ");
  if (counts.failed() > 0) {
    text += "what failed later and said nothing else";
    if (sum > counts.failed()) text += ", and ";
  }
  if (sum > counts.failed()) text += "those without trouble";
  warnings.push_back(std::move(text));
}

}  // namespace

bool ContainerInTwoStates(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  return std::ranges::any_of(status.container_statuses(), InTwoStates) ||
         std::ranges::any_of(status.init_container_statuses(), InTwoStates);
}

void CheckReport(const Context& context, Warnings& warnings) {
  const v1::FailureReport& report = context.report;
  const std::string& kind = report.workload().kind();
  if (!kind.empty() && !IsKnownKind(kind) && !report.has_ended_attempt()) {
    warnings.push_back(absl::StrCat("workload kind ", Excerpt(kind),
                                    " is not known: it is judged by its pods"));
  }
  if (report.has_creation_error()) {
    CheckCreationError(report.creation_error(), warnings);
  }
  CheckOmitted(report.omitted_pods(), warnings);
  if (context.foreign_events > 0) {
    warnings.push_back(
        absl::StrCat(context.foreign_events,
                     context.foreign_events == 1 ? " event is" : " events are",
                     " about objects that the report lacks, and not read"));
  }
  const bool unconnected =
      !report.nodes().empty() || !context.shared_events.empty();
  if (report.pods().empty() && unconnected &&
      (context.owners.any() || report.has_creation_error())) {
    warnings.push_back(
        "nodes, claims and events about them are not read: no pod in the "
        "report says that it used them");
  }
  CheckJobs(context, warnings);
  CheckOwners(context, warnings);
  for (const core::Pod& pod : report.pods()) {
    if (warnings.size() >= kMaxWarnings) return;
    CheckPod(context, pod, warnings);
  }
}

}  // namespace mulligan::demystify
