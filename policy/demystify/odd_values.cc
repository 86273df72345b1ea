#include "policy/demystify/odd_values.h"

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

// Of a thousand odd pods the first few are enough.
constexpr std::size_t kMaxWarnings = 8;

// Clocks of caller and cluster may differ by this much.
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

bool EndedBeforeItStarted(const core::ContainerState& state) {
  const core::ContainerStateTerminated& run = state.terminated();
  return Before(ToSeconds(run.finished_at()), ToSeconds(run.started_at()));
}

// What is odd about containers, each kind once a pod.
class ContainerChecks {
 public:
  ContainerChecks(const core::Pod& pod, Warnings& warnings)
      : pod_(pod), warnings_(warnings) {}

  template <typename Statuses>
  void Check(const Statuses& statuses) {
    for (const core::ContainerStatus& status : statuses) {
      if (InTwoStates(status)) {
        Warn(status, two_states_,
             "more than one of waiting, running and terminated is set");
      }
      if (status.restart_count() < 0) {
        Warn(status, negative_, "restartCount is negative");
      }
      if (EndedBeforeItStarted(status.state()) ||
          EndedBeforeItStarted(status.last_state())) {
        Warn(status, backwards_, "finishedAt is before startedAt");
      }
    }
  }

 private:
  void Warn(const core::ContainerStatus& status, bool& warned,
            const char* what) {
    if (warned) return;
    warned = true;
    warnings_.push_back(absl::StrCat("pod ", Excerpt(pod_.metadata().name()),
                                     ", container ", Excerpt(status.name()),
                                     ": ", what));
  }

  const core::Pod& pod_;
  Warnings& warnings_;
  bool two_states_ = false;
  bool negative_ = false;
  bool backwards_ = false;
};

// Checks of the objects of one kind.
class ObjectChecks {
 public:
  ObjectChecks(const Context& context, std::string_view kind,
               Warnings& warnings)
      : context_(context), kind_(kind), warnings_(warnings) {}

  void Check(const WorkloadView& view, std::span<const ObjectCount> counts) {
    const std::string& name = view.meta->name();
    for (const UnknownWord& unknown : view.unknown_words) {
      Warn(name, absl::StrCat(": ", unknown.leaf + 1, " \"",
                              Excerpt(unknown.word), "\" is not known"));
    }
    if (!future_ && InFuture(context_, Newest(view))) {
      future_ = true;
      Warn(name, " has times later than observedAt: clocks differ");
    }
    if (negative_) return;
    std::string found;
    for (const ObjectCount& count : counts) {
      if (count.value >= 0) continue;
      absl::StrAppend(&found, negative_ ? ", " : ": ", count.field, " is ",
                      count.value);
      negative_ = true;
    }
    if (negative_) Warn(name, found + ": no count is negative");
  }

 private:
  void Warn(const std::string& name, std::string_view what) {
    warnings_.push_back(
        absl::StrCat(Excerpt(kind_), name.empty() ? "" : " ", Excerpt(name)));
    warnings_.back().append(what);
  }

  const Context& context_;
  const std::string_view kind_;
  Warnings& warnings_;
  bool future_ = false;
  bool negative_ = false;
};

void CheckJobs(const Context& context, Warnings& warnings) {
  ObjectChecks checks(context, "Job", warnings);
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
    checks.Check(ViewOf(job), counts);
  }
}

void CheckOwners(const Context& context, Warnings& warnings) {
  const auto check = [&](const WorkloadView& view) {
    ObjectChecks(context, view.kind_name, warnings).Check(view, view.counts);
  };
  for (const WorkloadView& view : context.owners.views) check(view);
  if (const auto queue = QueueIn(context.report)) check(*queue);
}

// Of each kind of oddity the first.
void CheckPod(const Context& context, const core::Pod& pod,
              Warnings& warnings) {
  const core::PodStatus& status = pod.status();
  const std::string& phase = status.phase();
  if (!phase.empty() && phase != "Failed" && phase != "Running" &&
      phase != "Pending" && phase != "Succeeded" && phase != "Unknown") {
    warnings.push_back(absl::StrCat("pod ", Excerpt(pod.metadata().name()),
                                    ": phase \"", Excerpt(phase),
                                    "\" is not known"));
  }
  if (Known(context.now) && InFuture(context, Newest(status))) {
    warnings.push_back(
        absl::StrCat("pod ", Excerpt(pod.metadata().name()),
                     " has times later than observedAt: clocks differ"));
  }
  ContainerChecks checks(pod, warnings);
  checks.Check(status.init_container_statuses());
  checks.Check(status.container_statuses());
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

// "19500 failed and 20 running pods were not looked at: ..."
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
  if (!kind.empty() && !IsKnownKind(kind)) {
    warnings.push_back(absl::StrCat("workload kind ", Excerpt(kind),
                                    " is not known: it is judged by its pods"));
  }
  if (report.has_creation_error()) {
    CheckCreationError(report.creation_error(), warnings);
  }
  CheckOmitted(report.omitted_pods(), warnings);
  if (context.strange_events > 0) {
    warnings.push_back(
        absl::StrCat(context.strange_events,
                     context.strange_events == 1 ? " event is" : " events are",
                     " about other workloads and not read"));
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
