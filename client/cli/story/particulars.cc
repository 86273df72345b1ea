#include "client/cli/story/particulars.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/story/error_line.h"
#include "client/cli/story/placement_words.h"
#include "client/cli/story/problem_texts.h"
#include "client/cli/story/queue_words.h"
#include "client/cli/story/storage_words.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

const core::Pod* CulpritPod(const v1::FailureReport& report,
                            const v1::Diagnosis& diagnosis) {
  for (const core::Pod& pod : report.pods()) {
    if (pod.metadata().name() == diagnosis.culprit().pod()) return &pod;
  }
  return nullptr;
}

// In one line: what a webhook or a scheduler lists stays together.
void AddText(std::string text, std::vector<std::string>& texts) {
  absl::RemoveExtraAsciiWhitespace(&text);
  if (!text.empty()) texts.push_back(std::move(text));
}

void AddTextsOf(const core::Pod& pod, std::vector<std::string>& texts) {
  for (const auto* statuses : {&pod.status().container_statuses(),
                               &pod.status().init_container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      AddText(status.state().waiting().message(), texts);
      AddText(status.state().terminated().message(), texts);
      AddText(status.last_state().terminated().message(), texts);
    }
  }
  AddText(pod.status().message(), texts);
  for (const core::PodCondition& condition : pod.status().conditions()) {
    AddText(condition.message(), texts);
  }
}

// Everything that was said about the failure, what decided first.
std::vector<std::string> TextsAbout(const v1::FailureReport& report,
                                    const v1::Diagnosis& diagnosis) {
  std::vector<std::string> texts;
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    AddText(evidence.value(), texts);
  }
  if (const core::Pod* pod = CulpritPod(report, diagnosis)) {
    AddTextsOf(*pod, texts);
  }
  const v1::Culprit& culprit = diagnosis.culprit();
  for (const core::Event& event : report.events()) {
    const std::string& about = event.involved_object().name();
    const bool ours = about == culprit.pod() || about == culprit.name() ||
                      // A scaled-down owner names the pods' own owner.
                      diagnosis.cause() == v1::CANCELLED;
    if (about.empty() || !ours) continue;
    AddText(event.message(), texts);
  }
  // A node's own conditions, where one of them decided.
  for (const core::Node& node : report.nodes()) {
    if (node.metadata().name() != culprit.node()) continue;
    for (const core::NodeCondition& condition : node.status().conditions()) {
      const std::string state = condition.type() + "=" + condition.status();
      const bool decided = std::any_of(
          diagnosis.evidence().begin(), diagnosis.evidence().end(),
          [&](const auto& evidence) { return evidence.value() == state; });
      if (decided) AddText(condition.message(), texts);
    }
  }
  AddText(report.creation_error().message(), texts);
  AddText(report.exit().message(), texts);
  return texts;
}

std::string ImageOf(const core::Pod& pod, const std::string& container) {
  for (const auto* containers :
       {&pod.spec().containers(), &pod.spec().init_containers()}) {
    for (const core::Container& spec : *containers) {
      if (spec.name() == container) return spec.image();
    }
  }
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (status.name() == container) return status.image();
  }
  return "";
}

long long DeadlineOf(const v1::FailureReport& report,
                     const v1::Diagnosis& diagnosis, const core::Pod* pod) {
  if (diagnosis.cause() == v1::DEADLINE_POD && pod != nullptr) {
    return pod->spec().active_deadline_seconds();
  }
  if (diagnosis.cause() != v1::DEADLINE_JOB) return 0;
  if (report.has_ray_job()) {
    return report.ray_job().spec().active_deadline_seconds();
  }
  return report.jobs_size() == 1
             ? report.jobs(0).spec().active_deadline_seconds()
             : 0;
}

// What the Jobs say besides.
void ReadJobs(const v1::FailureReport& report, const v1::Diagnosis& diagnosis,
              Particulars& found) {
  for (const auto& job : report.jobs()) {
    if (found.failed_indexes.empty()) {
      found.failed_indexes = job.status().failed_indexes();
    }
    for (const auto& condition : job.status().conditions()) {
      found.deadline_passed |= condition.reason() == "DeadlineExceeded" &&
                               condition.status() == "True" &&
                               diagnosis.cause() != v1::DEADLINE_JOB;
    }
  }
}

std::string_view LimitedResource(v1::Cause cause) {
  if (cause == v1::CONTAINER_OOM) return "memory";
  if (cause == v1::STORAGE_EXHAUSTED) return "ephemeral-storage";
  return "";
}

}  // namespace

Particulars ParticularsOf(const v1::FailureReport& report,
                          const v1::Diagnosis& diagnosis,
                          const ContainerSpecs& specs) {
  Particulars found;
  const v1::Culprit& culprit = diagnosis.culprit();
  found.pod = culprit.pod();
  found.container = culprit.container();
  found.node = culprit.node();
  const v1::WorkloadReference workload = WorkloadOf(report);
  found.workload = workload.name();
  found.space = workload.namespace_();
  const core::Pod* pod = CulpritPod(report, diagnosis);
  if (pod != nullptr) {
    found.image = ImageOf(*pod, culprit.container());
    if (found.space.empty()) found.space = pod->metadata().namespace_();
    found.runs = pod->status().phase() == "Running";
  }
  found.deadline_seconds = DeadlineOf(report, diagnosis, pod);
  const std::string_view resource = LimitedResource(diagnosis.cause());
  if (!resource.empty()) {
    found.limit = specs.LimitOf(culprit.pod(), culprit.container(), resource)
                      .value_or("");
  }
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    const bool is_text = evidence.weight() == v1::Evidence::MESSAGE ||
                         evidence.value().find(' ') != std::string::npos;
    if (is_text && found.message.empty()) found.message = evidence.value();
  }
  const std::vector<std::string> texts = TextsAbout(report, diagnosis);
  if (found.message.empty() && !texts.empty() &&
      texts.back().find(' ') != std::string::npos) {
    found.message = texts.back();
  }
  FindProblem(diagnosis.cause(), texts, found);
  if (diagnosis.cause() == v1::STORAGE_EXHAUSTED) {
    FindStorageProblem(texts, specs, found);
  }
  if (diagnosis.cause() == v1::UNSCHEDULABLE && pod != nullptr) {
    FindSelectorProblem(*pod, texts, found);
  }
  if (diagnosis.cause() == v1::NODE_PRESSURE_EVICTED) {
    FindPressureRemedy(texts, found);
  }
  FindQueueProblem(report, diagnosis, found);
  found.queue_remark = QueueRemark(report, diagnosis);
  found.error_line = ErrorLineOf(report, diagnosis);
  if (!found.error_line.empty()) found.message = found.error_line;
  ReadJobs(report, diagnosis, found);
  return found;
}

}  // namespace mulligan::cli
