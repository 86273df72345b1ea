#include "policy/words/particulars.h"

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
#include "policy/demystify/evidence.h"
#include "policy/request/kinds.h"
#include "policy/request/workload_view.h"
#include "policy/words/error_line.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

namespace core = kubernetes::core::v1;

// Adds the text on one line, so that lists in it stay together.
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

// Returns whether the evidence lacks the start of its text.
bool IsPart(const v1::Evidence& evidence) {
  return evidence.value().starts_with(kLeftOutBefore);
}

// Returns the whole text of an event or owner of which evidence shows a part;
// empty for texts of pods, which are added separately.
std::string_view WholeOf(const Answered& answered,
                         const demystify::Candidate& fact) {
  switch (fact.place.root) {
    case demystify::Root::kEvents:
      return answered.report().events(fact.place.index).message();
    case demystify::Root::kOwner:
      return IsOwnersMessage(fact.place) ? fact.place.owner->message
                                         : std::string_view();
    default:
      return {};
  }
}

std::vector<std::string> TextsAbout(const Answered& answered) {
  const v1::FailureReport& report = answered.report();
  const demystify::EvidenceFound found =
      demystify::EvidenceOf(*answered.failure.found);
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (const v1::Evidence& evidence : answered.diagnosis.evidence()) {
    const std::size_t fact = next++;
    AddText(IsPart(evidence) ? WholeOf(answered, *found.facts[fact])
                             : std::string_view(evidence.value()),
            texts);
  }
  if (const core::Pod* pod = CulpritPod(answered)) AddTextsOf(*pod, texts);
  const Culprit& culprit = answered.failure.culprit;
  for (const core::Event& event : report.events()) {
    const std::string& about = event.involved_object().name();
    const bool ours = about == culprit.pod || about == culprit.name ||
                      // A scaled-down owner names the pods' own owner.
                      answered.failure.cause == v1::CANCELLED;
    if (about.empty() || !ours) continue;
    AddText(event.message(), texts);
  }
  // Conditions of the culprit's node that decided.
  for (const core::Node& node : report.nodes()) {
    if (node.metadata().name() != culprit.node) continue;
    for (const core::NodeCondition& condition : node.status().conditions()) {
      const std::string state = condition.type() + "=" + condition.status();
      const bool decided = std::ranges::any_of(
          answered.diagnosis.evidence(),
          [&](const auto& evidence) { return evidence.value() == state; });
      if (decided) AddText(condition.message(), texts);
    }
  }
  AddText(report.creation_error().message(), texts);
  AddText(report.exit().message(), texts);
  AddText(report.ended_attempt().log_tail(), texts);
  for (const v1::Evidence& evidence : answered.diagnosis.evidence()) {
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

long long DeadlineOf(const Answered& answered, const core::Pod* pod) {
  if (answered.failure.cause == v1::DEADLINE_POD && pod != nullptr) {
    return pod->spec().active_deadline_seconds();
  }
  if (answered.failure.cause != v1::DEADLINE_JOB) return 0;
  for (const WorkloadView& view : answered.owners.views) {
    if (view.deadline_seconds > 0) return view.deadline_seconds;
  }
  const auto& jobs = answered.report().jobs();
  return jobs.size() == 1 ? ViewOf(jobs[0]).deadline_seconds : 0;
}

void ReadJobs(const Answered& answered, Particulars& found) {
  for (const auto& job : answered.report().jobs()) {
    if (found.failed_indexes.empty()) {
      found.failed_indexes = job.status().failed_indexes();
    }
    for (const auto& condition : job.status().conditions()) {
      found.deadline_passed |= condition.reason() == "DeadlineExceeded" &&
                               condition.status() == "True" &&
                               answered.failure.cause != v1::DEADLINE_JOB;
    }
  }
}

// Returns the image that a text names, since long specs omit it.
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

// Returns for example "run 4 of 4"; the limit counts retries only.
std::string TriesText(const OwnTries& tries) {
  if (tries.made <= 0 || tries.of.empty()) return "";
  return absl::StrFormat("%s %d of %d", tries.of, tries.made,
                         std::max(tries.made, 1 + tries.limit));
}

// Returns the explaining line of the object's message, else its first line.
std::string MessageOf(const WorkloadView& view, const Answered& answered) {
  const demystify::Candidate* naming = answered.naming();
  if (naming == nullptr || naming->place.owner != &view ||
      !IsOwnersMessage(naming->place)) {
    return FirstLine(view.message);
  }
  const v1::Evidence& evidence = answered.diagnosis.evidence(0);
  // For a long line it shows the part that decided.
  if (IsPart(evidence)) return FirstLine(evidence.value());
  const std::size_t at = view.message.find(FirstLine(evidence.value()));
  if (at == view.message.npos) return FirstLine(view.message);
  const std::size_t before = view.message.rfind('\n', at);
  return FirstLine(
      view.message.substr(before == view.message.npos ? 0 : before + 1));
}

// Adds what the failed object says, if no pod is known.
void ReadObject(const Answered& answered, Particulars& found) {
  const bool alone = answered.failure.situation == v1::Diagnosis::BROKEN &&
                     answered.failure.culprit.pod.empty();
  if (!alone) return;
  for (const WorkloadView& view : answered.owners.views) {
    if (view.kind_name != answered.failure.culprit.kind) continue;
    if (view.kind->tell == nullptr) continue;
    ObjectDetails words;
    view.kind->tell(answered.report(), words);
    found.tries = TriesText(words.tries);
    found.logs = std::move(words.log_command);
    found.memory_remedy = std::move(words.memory_remedy);
    if (found.error_line.empty() && !view.message.empty()) {
      found.error_line = MessageOf(view, answered);
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

void ReadAmounts(const Answered& answered, const ContainerSpecs& specs,
                 Particulars& found) {
  const Growable* const growth = GrowableOf(answered.failure.cause);
  if (growth == nullptr) return;
  const auto amount = [&](Amounts amounts) {
    return specs
        .OfPod(found.pod, answered.failure.short_container, growth->resource,
               amounts)
        .value_or("");
  };
  found.limit = amount(Amounts::kLimits);
  found.request = amount(Amounts::kRequests);
  if (answered.failure.cause != v1::STORAGE_EXHAUSTED) return;
  for (const std::string& text : found.texts) {
    if (found.limit.empty()) found.limit = StorageLimitIn(text);
  }
}

// Returns the message of the deciding evidence, or else of the caller.
std::string MessageIn(const Answered& answered) {
  for (const v1::Evidence& evidence : answered.diagnosis.evidence()) {
    const bool is_text = evidence.weight() == v1::Evidence::MESSAGE ||
                         evidence.value().find(' ') != std::string::npos;
    if (is_text && !evidence.value().empty()) return evidence.value();
  }
  const v1::FailureReport& report = answered.report();
  std::vector<std::string> texts;
  AddText(report.creation_error().message(), texts);
  AddText(report.exit().message(), texts);
  AddText(report.ended_attempt().log_tail(), texts);
  const bool has_text =
      !texts.empty() && texts.back().find(' ') != std::string::npos;
  return has_text ? texts.back() : std::string();
}

// Returns the queue's message about evicted work with another cause: "Exceeded
// the PodsReady timeout ml/train"; empty if there is none.
std::string QueueRemark(const Answered& answered) {
  if (answered.failure.situation != v1::Diagnosis::BROKEN) return "";
  const auto* const evicted =
      FindCondition(answered.report().kueue_workload().status().conditions(),
                    "Evicted", "True");
  return evicted == nullptr ? "" : evicted->message();
}

// Returns the pod whose message decided, because a launcher's log has its
// ranks' output. Empty if no pod's did.
std::string DecidingPod(const Answered& answered) {
  const demystify::Candidate* naming = answered.naming();
  if (naming == nullptr) return "";
  const demystify::ObjectName object =
      demystify::ObjectOf(answered.report(), naming->place);
  return object.kind == "Pod" ? Excerpt(object.name) : "";
}

// Returns for example "kubectl logs -n ml a -c main".
std::string LogsOf(const Answered& answered, const Particulars& found,
                   bool restarted) {
  if (found.no_objects) return "what the attempt wrote";
  if (found.pod.empty()) return "kubectl logs of the failed pod";
  std::string speaker = DecidingPod(answered);
  if (!speaker.empty() && speaker != found.pod) {
    return LogCommand({found.space, std::move(speaker), /*container=*/"",
                       /*previous=*/false});
  }
  return LogCommand({found.space, found.pod, found.container, restarted});
}

}  // namespace

const core::Pod* CulpritPod(const Answered& answered) {
  const int index = answered.failure.culprit.index;
  return index < 0 ? nullptr : &answered.report().pods(index);
}

std::string Named(std::string_view what, const std::string& name) {
  return name.empty() ? absl::StrCat("the ", std::string(what))
                      : absl::StrCat(std::string(what), " ", name);
}

std::string ContainerText(const Particulars& found) {
  return found.no_objects ? "the job" : Named("container", found.container);
}

std::string PodText(const Particulars& found) {
  return found.no_objects ? "the job" : Named("pod", found.pod);
}

Particulars ParticularsOf(const Answered& answered,
                          const ContainerSpecs& specs) {
  Particulars found;
  found.no_objects = answered.report().has_ended_attempt();
  const Culprit& culprit = answered.failure.culprit;
  found.pod = culprit.pod;
  found.container = culprit.container;
  found.node = culprit.node;
  found.workload = answered.workload.name();
  found.space = answered.workload.namespace_();
  const core::Pod* pod = CulpritPod(answered);
  bool restarted = false;
  if (pod != nullptr) {
    found.image = ImageOf(*pod, culprit.container);
    if (found.space.empty()) found.space = pod->metadata().namespace_();
    found.runs = pod->status().phase() == "Running";
    restarted = WasRestarted(*pod, culprit.container);
  }
  found.deadline_seconds = DeadlineOf(answered, pod);
  // The report has no text about a cause that only the ledger has.
  if (!answered.failure.set_aside) {
    found.texts = TextsAbout(answered);
    found.message = MessageIn(answered);
    found.error_line = ErrorLineOf(answered);
  }
  ReadAmounts(answered, specs, found);
  if (IsAboutAnImage(answered.failure.cause)) {
    std::string image = ImageNamedIn(found.texts);
    if (!image.empty()) found.image = std::move(image);
  }
  found.queue_remark = QueueRemark(answered);
  ReadObject(answered, found);
  if (!found.error_line.empty()) found.message = found.error_line;
  if (found.logs.empty()) found.logs = LogsOf(answered, found, restarted);
  ReadJobs(answered, found);
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

}  // namespace mulligan::words
