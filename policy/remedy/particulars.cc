#include "policy/remedy/particulars.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/conditions.h"
#include "policy/base/shell.h"
#include "policy/base/utf8.h"
#include "policy/remedy/error_line.h"
#include "policy/request/kinds.h"
#include "policy/request/views/spark_words.h"
#include "policy/request/workload_view.h"
#include "re2/re2.h"

namespace mulligan::remedy {
namespace {

namespace core = kubernetes::core::v1;

// In one line: what a webhook or a scheduler lists stays together.
void AddText(std::string_view text, std::vector<std::string>& texts) {
  if (text.empty()) return;
  absl::RemoveExtraAsciiWhitespace(&texts.emplace_back(text));
  if (texts.back().empty()) texts.pop_back();
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

// Whether it lacks the beginning of what was said.
bool IsPart(const v1::Evidence& evidence) {
  return evidence.value().starts_with(kLeftOutBefore);
}

// What such evidence is a part of; empty: a text of a pod, or not found.
std::string WholeOf(const Owners& owners, const v1::Evidence& evidence) {
  const auto& events = owners.report.events();
  for (int i = 0; i < events.size(); ++i) {
    if (evidence.path() == absl::StrCat("events[", i, "].message")) {
      return events[i].message();
    }
  }
  for (const WorkloadView& view : owners.views) {
    if (evidence.path() == view.message_path) return std::string(view.message);
  }
  return "";
}

// Everything that was said about the failure, what decided first.
std::vector<std::string> TextsAbout(const Owners& owners,
                                    const v1::Diagnosis& diagnosis) {
  const v1::FailureReport& report = owners.report;
  std::vector<std::string> texts;
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    AddText(IsPart(evidence) ? WholeOf(owners, evidence) : evidence.value(),
            texts);
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
      const bool decided = std::ranges::any_of(
          diagnosis.evidence(),
          [&](const auto& evidence) { return evidence.value() == state; });
      if (decided) AddText(condition.message(), texts);
    }
  }
  AddText(report.creation_error().message(), texts);
  AddText(report.exit().message(), texts);
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    if (IsPart(evidence)) AddText(evidence.value(), texts);
  }
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

long long DeadlineOf(const Owners& owners, const v1::Diagnosis& diagnosis,
                     const core::Pod* pod) {
  if (diagnosis.cause() == v1::DEADLINE_POD && pod != nullptr) {
    return pod->spec().active_deadline_seconds();
  }
  if (diagnosis.cause() != v1::DEADLINE_JOB) return 0;
  for (const WorkloadView& view : owners.views) {
    if (view.deadline_seconds > 0) return view.deadline_seconds;
  }
  const auto& jobs = owners.report.jobs();
  return jobs.size() == 1 ? ViewOf(jobs[0]).deadline_seconds : 0;
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

// The image that a text names, which long specs leave out.
std::string ImageNamedIn(const std::vector<std::string>& texts) {
  static const RE2 kNamed(R"re((?:image|reference) "([^"]+)")re");
  std::string image;
  for (const std::string& text : texts) {
    if (RE2::PartialMatch(text, kNamed, &image)) return image;
  }
  return "";
}

bool IsAboutAnImage(v1::Cause cause) {
  return cause == v1::IMAGE_INVALID || cause == v1::IMAGE_DENIED ||
         cause == v1::IMAGE_PULL_TRANSIENT;
}

// "run 4 of 4": retries are one try less.
std::string TriesText(const OwnTries& tries) {
  if (tries.made <= 0 || tries.of.empty()) return "";
  return absl::StrFormat("%s %d of %d", tries.of, tries.made,
                         std::max(tries.made, 1 + tries.limit));
}

// The line of the object's message that has what explains the failure, else its
// first.
std::string ToldBy(const WorkloadView& view, const v1::Diagnosis& diagnosis) {
  const auto& evidence = diagnosis.evidence();
  if (evidence.empty() || evidence[0].path() != view.message_path) {
    return FirstLine(view.message);
  }
  // Of a long line it shows what decided.
  if (IsPart(evidence[0])) return FirstLine(evidence[0].value());
  const std::size_t at = view.message.find(FirstLine(evidence[0].value()));
  if (at == view.message.npos) return FirstLine(view.message);
  const std::size_t before = view.message.rfind('\n', at);
  return FirstLine(
      view.message.substr(before == view.message.npos ? 0 : before + 1));
}

// What the object says that the diagnosis is about, where no pod is known.
void ReadObject(const Owners& owners, const v1::Diagnosis& diagnosis,
                Particulars& found) {
  const bool alone = diagnosis.situation() == v1::Diagnosis::BROKEN &&
                     diagnosis.culprit().pod().empty();
  if (!alone) return;
  for (const WorkloadView& view : owners.views) {
    if (view.kind_name != diagnosis.culprit().kind()) continue;
    if (view.kind->tell == nullptr) continue;
    ObjectWords words;
    view.kind->tell(owners.report, words);
    found.tries = TriesText(words.tries);
    found.logs = std::move(words.log_command);
    found.memory_remedy = std::move(words.memory_remedy);
    if (found.error_line.empty() && !view.message.empty()) {
      found.error_line = ToldBy(view, diagnosis);
    }
  }
}

bool WasRestarted(const core::Pod& pod, const std::string& container) {
  return std::ranges::any_of(
      pod.status().container_statuses(), [&](const auto& status) {
        return status.name() == container && !status.state().has_terminated() &&
               status.last_state().has_terminated();
      });
}

void ReadAmounts(const v1::Diagnosis& diagnosis, const ContainerSpecs& specs,
                 Particulars& found) {
  const Growable* const growth = GrowableOf(diagnosis.cause());
  if (growth == nullptr) return;
  const std::string_view container =
      diagnosis.evidence().empty()
          ? found.container
          : spark::ContainerShortOfMemory(found.container,
                                          diagnosis.evidence(0).value());
  const auto amount = [&](Amounts amounts) {
    return specs.OfPod(found.pod, container, growth->resource, amounts)
        .value_or("");
  };
  found.limit = amount(Amounts::kLimits);
  found.request = amount(Amounts::kRequests);
  if (diagnosis.cause() != v1::STORAGE_EXHAUSTED) return;
  for (const std::string& text : found.texts) {
    if (found.limit.empty()) found.limit = StorageLimitIn(text);
  }
}

// What the kubelet, or whoever decided, said of it.
std::string MessageIn(const v1::Diagnosis& diagnosis,
                      const std::vector<std::string>& texts) {
  for (const v1::Evidence& evidence : diagnosis.evidence()) {
    const bool is_text = evidence.weight() == v1::Evidence::MESSAGE ||
                         evidence.value().find(' ') != std::string::npos;
    if (is_text && !evidence.value().empty()) return evidence.value();
  }
  const bool has_text =
      !texts.empty() && texts.back().find(' ') != std::string::npos;
  return has_text ? texts.back() : std::string();
}

// The queue's words about an evicted workload whose cause is another: "Exceeded
// the PodsReady timeout ml/train". Empty: there are none.
std::string QueueRemark(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis) {
  if (diagnosis.situation() != v1::Diagnosis::BROKEN) return "";
  const auto* const evicted = FindCondition(
      report.kueue_workload().status().conditions(), "Evicted", "True");
  return evicted == nullptr ? "" : evicted->message();
}

// The pod whose words decided: a launcher tells of its ranks, and has their
// log. Empty: no pod's did.
std::string SpeakerOf(const v1::Diagnosis& diagnosis) {
  if (diagnosis.evidence().empty()) return "";
  const std::string& object = diagnosis.evidence(0).object();
  if (!object.starts_with("Pod/")) return "";
  return object.substr(object.rfind('/') + 1);
}

// "kubectl logs -n ml a -c main": where to read what happened.
std::string LogsOf(const v1::Diagnosis& diagnosis, const Particulars& found,
                   bool restarted) {
  if (found.pod.empty()) return "kubectl logs of the failed pod";
  std::string speaker = SpeakerOf(diagnosis);
  if (!speaker.empty() && speaker != found.pod) {
    return LogCommand({found.space, std::move(speaker), /*container=*/"",
                       /*previous=*/false});
  }
  return LogCommand({found.space, found.pod, found.container, restarted});
}

}  // namespace

const core::Pod* CulpritPod(const v1::FailureReport& report,
                            const v1::Diagnosis& diagnosis) {
  for (const core::Pod& pod : report.pods()) {
    if (pod.metadata().name() == diagnosis.culprit().pod()) return &pod;
  }
  return nullptr;
}

std::string Named(std::string_view what, const std::string& name) {
  return name.empty() ? absl::StrCat("the ", std::string(what))
                      : absl::StrCat(std::string(what), " ", name);
}

Particulars ParticularsOf(const Owners& owners,
                          const v1::WorkloadReference& workload,
                          const v1::Diagnosis& diagnosis,
                          const ContainerSpecs& specs) {
  const v1::FailureReport& report = owners.report;
  Particulars found;
  const v1::Culprit& culprit = diagnosis.culprit();
  found.pod = culprit.pod();
  found.container = culprit.container();
  found.node = culprit.node();
  found.workload = workload.name();
  found.space = workload.namespace_();
  const core::Pod* pod = CulpritPod(report, diagnosis);
  bool restarted = false;
  if (pod != nullptr) {
    found.image = ImageOf(*pod, culprit.container());
    if (found.space.empty()) found.space = pod->metadata().namespace_();
    found.runs = pod->status().phase() == "Running";
    restarted = WasRestarted(*pod, culprit.container());
  }
  found.deadline_seconds = DeadlineOf(owners, diagnosis, pod);
  found.texts = TextsAbout(owners, diagnosis);
  ReadAmounts(diagnosis, specs, found);
  if (IsAboutAnImage(diagnosis.cause())) {
    std::string image = ImageNamedIn(found.texts);
    if (!image.empty()) found.image = std::move(image);
  }
  found.message = MessageIn(diagnosis, found.texts);
  found.queue_remark = QueueRemark(report, diagnosis);
  found.error_line = ErrorLineOf(report, diagnosis);
  ReadObject(owners, diagnosis, found);
  if (!found.error_line.empty()) found.message = found.error_line;
  if (found.logs.empty()) found.logs = LogsOf(diagnosis, found, restarted);
  ReadJobs(report, diagnosis, found);
  return found;
}

std::string StorageLimitIn(const std::string& text) {
  static const RE2 kOver(
      "(?:storage usage exceeds the total limit of containers|exceeded its "
      "local ephemeral storage limit) \"?([\\w.]+)");
  std::string limit;
  if (!RE2::PartialMatch(text, kOver, &limit)) return "";
  while (!limit.empty() && limit.back() == '.') limit.pop_back();
  return limit;
}

}  // namespace mulligan::remedy
