#include "client/cli/story/particulars.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "policy/request/workload.h"
#include "policy/request/workload_view.h"
#include "re2/re2.h"

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
      const bool decided = std::ranges::any_of(
          diagnosis.evidence(),
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
  for (const WorkloadView& view : Owners(report).views) {
    if (view.deadline_seconds > 0) return view.deadline_seconds;
  }
  return report.jobs_size() == 1 ? ViewOf(report.jobs(0)).deadline_seconds : 0;
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

// Causes that a program's words tell of.
constexpr v1::Cause kTold[] = {
    v1::APP_ERROR,          v1::CRASH_SIGNAL,     v1::CONFIG_USER_ERROR,
    v1::DECLARED_FATAL,     v1::DATA_OR_NUMERIC,  v1::DEPENDENCY_UNAVAILABLE,
    v1::DECLARED_RETRYABLE, v1::LAUNCHER_FAILED,  v1::GPU_OOM,
    v1::STORAGE_EXHAUSTED,  v1::RENDEZVOUS_FAILED};

constexpr std::size_t kLongest = 200;

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

// "[rank3]: " and time and level in front of a line.
std::string_view WithoutHead(std::string_view line) {
  static const RE2 kHead(
      "^(?:\\s+|\\[\\w+\\]:|[\\d-]{8,10}[ T][\\d:.,]{8,}Z?|"
      "\\d\\d/\\d\\d/\\d\\d [\\d:]{8}|\\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\\]?"
      "(?:[: ]|$))");
  re2::StringPiece rest = Piece(line);
  while (!rest.empty() && RE2::Consume(&rest, kHead)) {
  }
  return {rest.data(), rest.size()};
}

bool TellsOfError(std::string_view line) {
  static const RE2 kError(
      "^(?:\\s*\\[\\w+\\]: ?)?(?:[\\w.$]+(?:Error|Exception|Interrupt|Exit)"
      "(?::|\\s*$)|(?i:(?:fatal )?error|panic|fatal): )|"
      "\\b(?:ERROR|FATAL|CRITICAL|SEVERE)\\b|^Exception in thread |"
      "^thread '.*' panicked at");
  return RE2::PartialMatch(Piece(line), kError);
}

std::string Shortened(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
    line.remove_suffix(1);
  }
  if (line.size() <= kLongest) return std::string(line);
  const std::size_t space = line.substr(0, kLongest).rfind(' ');
  return std::string(line.substr(0, space == line.npos ? kLongest : space)) +
         " ...";
}

// "Missing input files:" says what in the line below.
std::string WithNext(std::string_view line, std::string_view rest) {
  std::string whole(
      absl::StripTrailingAsciiWhitespace({line.data(), line.size()}));
  if (!whole.ends_with(":")) return whole;
  while (!rest.empty() && (rest.front() == '\n' || rest.front() == '\r')) {
    rest.remove_prefix(1);
  }
  const std::string_view next = rest.substr(0, rest.find('\n'));
  const std::string text(
      absl::StripAsciiWhitespace({next.data(), next.size()}));
  return text.empty() ? whole : whole + " " + text;
}

// What a status says first.
std::string FirstLine(std::string_view text) {
  return Shortened(text.substr(0, text.find('\n')));
}

// Whether evidence is the words of the program: a container's, or those that an
// operator found.
bool IsOfProgram(const v1::Evidence& evidence) {
  return evidence.path().ends_with("erminated.message") ||
         evidence.path() == "rayJob.status.message" ||
         evidence.path().ends_with(".errorMessage");
}

bool WasRestarted(const core::Pod& pod, const std::string& container) {
  return std::ranges::any_of(
      pod.status().container_statuses(), [&](const auto& status) {
        return status.name() == container && !status.state().has_terminated() &&
               status.last_state().has_terminated();
      });
}

// What the culprit container said at its end.
std::string_view LogOf(const v1::FailureReport& report,
                       const v1::Culprit& culprit) {
  for (const auto& pod : report.pods()) {
    if (pod.metadata().name() != culprit.pod()) continue;
    for (const auto* statuses : {&pod.status().container_statuses(),
                                 &pod.status().init_container_statuses()}) {
      for (const auto& status : *statuses) {
        if (status.name() != culprit.container()) continue;
        const std::string& now = status.state().terminated().message();
        return now.empty() ? status.last_state().terminated().message() : now;
      }
    }
  }
  return report.exit().message();
}

}  // namespace

std::string Named(std::string_view what, const std::string& name) {
  return name.empty() ? absl::StrCat("the ", std::string(what))
                      : absl::StrCat(std::string(what), " ", name);
}

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
    found.restarted = WasRestarted(*pod, culprit.container());
  }
  found.deadline_seconds = DeadlineOf(report, diagnosis, pod);
  const std::string_view resource = LimitedResource(diagnosis.cause());
  if (!resource.empty()) {
    found.limit = specs.LimitOf(culprit.pod(), culprit.container(), resource)
                      .value_or("");
    found.request =
        specs.RequestOf(culprit.pod(), culprit.container(), resource)
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
  FindGangRemedy(report, diagnosis, found);
  found.queue_remark = QueueRemark(report, diagnosis);
  FindObjectWords(report, diagnosis, found);
  found.error_line = ErrorLineOf(report, diagnosis);
  if (found.error_line.empty() && !found.words.empty()) {
    found.error_line = FirstLine(found.words);
  }
  if (!found.error_line.empty()) found.message = found.error_line;
  ReadJobs(report, diagnosis, found);
  return found;
}

std::string LastErrorLine(std::string_view log) {
  std::size_t end = log.size();
  while (end > 0) {
    const std::size_t before = log.rfind('\n', end - 1);
    const std::size_t begin = before == log.npos ? 0 : before + 1;
    const std::string_view line = log.substr(begin, end - begin);
    if (TellsOfError(line)) {
      return Shortened(WithNext(WithoutHead(line), log.substr(end)));
    }
    if (begin == 0) break;
    end = begin - 1;
  }
  return "";
}

std::string ErrorLineOf(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis) {
  if (std::ranges::find(kTold, diagnosis.cause()) == std::end(kTold)) {
    return "";
  }
  if (diagnosis.evidence_size() > 0) {
    const v1::Evidence& first = diagnosis.evidence(0);
    const bool own = IsOfProgram(first);
    const bool whole = !first.value().ends_with(":");
    if (own && whole && TellsOfError(first.value())) {
      return Shortened(WithoutHead(first.value()));
    }
  }
  std::string line = LastErrorLine(LogOf(report, diagnosis.culprit()));
  if (!line.empty() || diagnosis.evidence_size() == 0) return line;
  // Not in the form of an error, but it is what decided.
  const v1::Evidence& first = diagnosis.evidence(0);
  const bool told = IsOfProgram(first) &&
                    first.weight() != v1::Evidence::EXIT_CODE &&
                    !first.value().starts_with("Traceback ");
  return told ? Shortened(WithoutHead(first.value())) : "";
}

}  // namespace mulligan::cli
