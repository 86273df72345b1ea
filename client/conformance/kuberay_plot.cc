#include "client/conformance/kuberay_plot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/protos.h"

namespace mulligan::conformance {
namespace {

using kuberay::RayAnswer;
using Mishap = KubeRayPlot::Mishap;
using Submitter = KubeRayPlot::Submitter;
using Apply = void (*)(KubeRayPlot& plot);

constexpr std::size_t kMaxWords = 3;

bool Says(std::string_view text, std::string_view word) {
  return absl::StrContains(absl::string_view(text.data(), text.size()),
                           absl::string_view(word.data(), word.size()));
}

template <std::size_t kSize>
bool SaysAny(std::string_view text,
             const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return Says(text, word); });
}

void RayFails(KubeRayPlot& plot) {
  if (plot.ray.has_value()) return;
  plot.ray.emplace();
  plot.ray->job_status = "FAILED";
}

void SubmitterFails(KubeRayPlot& plot) {
  plot.submitter = Submitter::kFails;
  if (plot.ray.has_value()) return;
  plot.ray.emplace();
  plot.ray->kind = RayAnswer::Kind::kNotFound;
}

void Nothing(KubeRayPlot& /*plot*/) {}

void ClusterReady(KubeRayPlot& plot) {
  plot.cluster_state = std::string(kuberay::kClusterReady);
}

constexpr const char* kRefused = "refused";

// What a sentence means that has all the words, in any order. The first row
// that fits counts, so the more telling ones stand first.
struct SentenceRow {
  std::array<std::string_view, kMaxWords> words;
  Apply apply;
};

void RayStops(KubeRayPlot& plot) {
  plot.ray.emplace();
  plot.ray->job_status = "STOPPED";
}

void NeverReady(KubeRayPlot& plot) { plot.cluster_never_ready = true; }

void PodCallFails(std::string_view call, std::string_view node,
                  KubeRayPlot& plot) {
  plot.failing_pod_call = {std::string(call), std::string(node)};
}

template <Mishap kMishap>
void Happens(KubeRayPlot& plot) {
  plot.mishap = kMishap;
}

template <std::string kuberay::CallErrors::*kCall>
void Refused(KubeRayPlot& plot) {
  plot.errors.*kCall = kRefused;
}

template <bool kSuspend>
void SuspendIsSet(KubeRayPlot& plot) {
  plot.spec_updates.push_back({{"suspend", kSuspend}});
}

using Verb = std::array<std::string_view, 4>;
// Not "created" and "deleted", which tell of what was done.
constexpr Verb kCreate = {"create ", "creating", "creation", "be created"};
constexpr Verb kDelete = {"delete ", "deleting", "deletion", "be deleted"};

// A call to the API server that goes wrong: the sentence has the verb, the
// object and a word of failure.
struct CallRow {
  const Verb& verb;
  std::string_view object;
  Apply apply;
};

constexpr std::array<CallRow, 12> kCalls = {{
    {kCreate, "worker pod",
     [](KubeRayPlot& plot) { PodCallFails("create", "worker", plot); }},
    {kCreate, "head pod",
     [](KubeRayPlot& plot) { PodCallFails("create", "head", plot); }},
    {kDelete, "worker pod",
     [](KubeRayPlot& plot) { PodCallFails("delete", "worker", plot); }},
    {kDelete, "head pod",
     [](KubeRayPlot& plot) { PodCallFails("delete", "head", plot); }},
    {kDelete, "all pods",
     [](KubeRayPlot& plot) { PodCallFails("delete", "", plot); }},
    {kCreate, "submitter", Refused<&kuberay::CallErrors::create_submitter>},
    {kCreate, "kubernetes job",
     Refused<&kuberay::CallErrors::create_submitter>},
    {kCreate, "k8s job", Refused<&kuberay::CallErrors::create_submitter>},
    {kCreate, "raycluster", Refused<&kuberay::CallErrors::create_cluster>},
    {kDelete, "submitter", Refused<&kuberay::CallErrors::delete_submitter>},
    {kDelete, "k8s job", Refused<&kuberay::CallErrors::delete_submitter>},
    {kDelete, "raycluster", Refused<&kuberay::CallErrors::delete_cluster>},
}};

constexpr std::array<std::string_view, 7> kFailureWords = {
    " error", " fails", " refuse", " rejected", "failure", "failed", "cannot"};

// The call that the sentence tells to fail; null: none.
const CallRow* FailingCall(std::string_view sentence) {
  if (!SaysAny(sentence, kFailureWords)) return nullptr;
  for (const CallRow& row : kCalls) {
    if (SaysAny(sentence, row.verb) && Says(sentence, row.object)) return &row;
  }
  return nullptr;
}

constexpr std::array<SentenceRow, 57> kSentences = {{
    {{"submitter", "pod", "deleted"}, Happens<Mishap::kSubmitterPodLost>},
    {{"submitter", "pod", "killed"}, Happens<Mishap::kSubmitterPodLost>},
    {{"submitter", "container", "killed"}, Happens<Mishap::kContainerKilled>},
    {{"submitter", "container", "crash"}, Happens<Mishap::kContainerKilled>},
    {{"rejects", "submitter"}, Refused<&kuberay::CallErrors::create_submitter>},
    {{"rejects", "raycluster"}, Refused<&kuberay::CallErrors::create_cluster>},
    {{"head pod", "deleted"}, Happens<Mishap::kHeadLost>},
    {{"head pod", "evicted"}, Happens<Mishap::kHeadLost>},
    {{"head pod", "killed"}, Happens<Mishap::kHeadLost>},
    {{"head pod", "lost"}, Happens<Mishap::kHeadLost>},
    {{"ray", "job", "not found"},
     [](KubeRayPlot& plot) {
       plot.ray.emplace();
       plot.ray->kind = RayAnswer::Kind::kNotFound;
       // Only then does it matter.
       if (plot.submitter == Submitter::kFollows) {
         plot.submitter = Submitter::kSucceeds;
       }
     }},
    {{"submitter", "exhaust"}, SubmitterFails},
    {{"submitter", "exit", "non-zero"}, SubmitterFails},
    {{"submitter", "exits", "error"}, SubmitterFails},
    {{"submitter", "cannot"}, SubmitterFails},
    {{"submitter", "can't"}, SubmitterFails},
    {{"submitter", "not exist"}, SubmitterFails},
    {{"submitter", "unreachable"}, SubmitterFails},
    {{"submitter", "backofflimit", "reach"}, SubmitterFails},
    {{"submitter", "backoff limit", "reach"}, SubmitterFails},
    {{"submitter", "fail"}, SubmitterFails},
    {{"ray never hears"}, SubmitterFails},
    {{"raycluster", "not ready"}, Nothing},
    {{"cluster", "never", "ready"}, NeverReady},
    {{"pods", "never", "ready"}, NeverReady},
    {{"cannot be scheduled"}, NeverReady},
    {{"unschedulable"}, NeverReady},
    {{"cannot be pulled"}, NeverReady},
    {{"stay", "pending"}, NeverReady},
    {{"stay", "initializing"}, NeverReady},
    {{"not", "reach", "running"}, NeverReady},
    {{"never", "running"}, NeverReady},
    {{"before", "running"}, NeverReady},
    {{"reach", "running"}, [](KubeRayPlot& plot) { plot.runs_in_time = true; }},
    {{"cluster", "status", "chang"}, Happens<Mishap::kClusterStatusChanges>},
    {{"cluster", "status", "updat"}, Happens<Mishap::kClusterStatusChanges>},
    {{"cluster", "finalizer", "gone"},
     [](KubeRayPlot& plot) { plot.cluster_gone = true; }},
    {{"cluster", "blocked"},
     [](KubeRayPlot& plot) { plot.cluster_deletion_blocked = true; }},
    {{"cluster", "still terminating"},
     [](KubeRayPlot& plot) { plot.cluster_deletion_blocked = true; }},
    {{"cluster", "gone"}, [](KubeRayPlot& plot) { plot.cluster_gone = true; }},
    {{"cluster", "becomes", "ready"}, ClusterReady},
    {{"cluster", "is ready"}, ClusterReady},
    {{"pods", "running", "ready"}, ClusterReady},
    {{"application", "exits", "error"}, RayFails},
    {{"application", "fails"}, RayFails},
    {{"ray job", "fails"}, RayFails},
    {{"ray job", "stop"}, RayStops},
    {{"application", "stop"}, RayStops},
    {{"created", "suspend"}, Nothing},
    {{"suspend", "to true"}, SuspendIsSet<true>},
    {{"suspend=true"}, SuspendIsSet<true>},
    {{"suspend", "to false"}, SuspendIsSet<false>},
    {{"suspend=false"}, SuspendIsSet<false>},
    {{"reconcile"}, Nothing},
    // Time passes; the deadline is in the spec.
    {{"elapse"}, Nothing},
    {{"still running"}, Nothing},
    {{"nobody", "jobid"}, Nothing},
}};

bool Fits(const SentenceRow& row, std::string_view sentence) {
  return std::all_of(
      row.words.begin(), row.words.end(),
      [&](std::string_view word) { return Says(sentence, word); });
}

absl::Status ReadSentence(const std::string& what, bool others_tell,
                          KubeRayPlot& plot) {
  const std::string sentence = absl::AsciiStrToLower(what);
  if (const CallRow* const call = FailingCall(sentence); call != nullptr) {
    call->apply(plot);
    return absl::OkStatus();
  }
  for (const SentenceRow& row : kSentences) {
    if (!Fits(row, sentence)) continue;
    row.apply(plot);
    return absl::OkStatus();
  }
  if (others_tell) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrFormat("event.what: '%s' is not understood", what));
}

// "Complete", "not finished", "completes successfully each attempt", ...
absl::Status ReadSubmitter(const std::string& text, KubeRayPlot& plot) {
  const std::string word = absl::AsciiStrToLower(text);
  if (Says(word, "not finished") || Says(word, "unfinished") ||
      Says(word, "running") || Says(word, "active")) {
    plot.submitter = Submitter::kUnfinished;
  } else if (Says(word, "fail") || Says(word, "exhaust")) {
    plot.submitter = Submitter::kFails;
  } else if (Says(word, "complete") || Says(word, "success") ||
             Says(word, "succeed") || Says(word, "finished")) {
    plot.submitter = Submitter::kSucceeds;
  } else {
    return absl::UnimplementedError(
        absl::StrFormat("event.submitterJob: '%s' is not understood", text));
  }
  return absl::OkStatus();
}

absl::Status ReadRayInfo(const Json& info, KubeRayPlot& plot) {
  absl::Status known =
      CheckOnlyMembers(info, "event.rayJobInfo",
                       {"jobStatus", "message", "startTime", "endTime"});
  if (!known.ok()) return known;
  RayAnswer answer;
  for (const auto& [name, text] :
       {std::pair<const char*, std::string*>("jobStatus", &answer.job_status),
        {"message", &answer.message}}) {
    const auto read = TextOrEmpty(MemberOf(info, name), name);
    if (!read.ok()) return read.status();
    *text = *read;
  }
  for (const auto& [name, time] :
       {std::pair<const char*, std::optional<google::protobuf::Timestamp>*>(
            "startTime", &answer.start_time),
        {"endTime", &answer.end_time}}) {
    if (MemberOf(info, name).is_null()) continue;
    const auto read = CaseTime(info[name], name);
    if (!read.ok()) return read.status();
    *time = *read;
  }
  plot.ray = std::move(answer);
  return absl::OkStatus();
}

// A text says it in words: "activeDeadlineSeconds added while the job runs".
absl::Status ReadSpecUpdate(const Json& update, KubeRayPlot& plot) {
  if (update.is_object()) {
    plot.spec_updates.push_back(update);
    return absl::OkStatus();
  }
  for (const char* const name :
       {"activeDeadlineSeconds", "preRunningDeadlineSeconds"}) {
    if (update.is_string() && Says(update.get<std::string>(), name) &&
        Says(update.get<std::string>(), "added")) {
      plot.spec_updates.push_back({{name, 1}});
      return absl::OkStatus();
    }
  }
  return absl::UnimplementedError(absl::StrFormat(
      "event.specUpdate: '%s' is not understood", update.dump()));
}

// Any member of the cluster's status but its state: the RayJob copies them all.
void TakeClusterStatus(Json& event, KubeRayPlot& plot) {
  constexpr std::string_view kPrefix = "rayCluster.status.";
  constexpr std::string_view kState = "rayCluster.status.state";
  if (!event.is_object()) return;
  for (auto member = event.begin(); member != event.end();) {
    if (!member.key().starts_with(kPrefix) || member.key() == kState) {
      ++member;
      continue;
    }
    plot.mishap = Mishap::kClusterStatusChanges;
    member = event.erase(member);
  }
}

void ReadDashboardError(const std::string& error, KubeRayPlot& plot) {
  const std::string word = absl::AsciiStrToLower(error);
  const bool unknown = Says(word, "not found") || Says(word, "badrequest") ||
                       Says(word, "bad request") || Says(word, "400");
  plot.ray.emplace();
  plot.ray->kind =
      unknown ? RayAnswer::Kind::kNotFound : RayAnswer::Kind::kError;
}

// Members that are one text each.
absl::Status ReadTexts(const Json& event, KubeRayPlot& plot) {
  struct Row {
    const char* name;
    void (*apply)(const std::string& text, KubeRayPlot& into);
  };
  constexpr Row kRows[] = {
      {"getJobInfoError", ReadDashboardError},
      {"submitJobError",
       [](const auto& text, auto& into) { into.errors.submit = text; }},
      {"rayCluster.status.state",
       [](const auto& text, auto& into) { into.cluster_state = text; }},
  };
  for (const auto& [name, apply] : kRows) {
    if (MemberOf(event, name).is_null()) continue;
    const auto text = TextOrEmpty(event.at(name), name);
    if (!text.ok()) return text.status();
    apply(*text, plot);
  }
  return absl::OkStatus();
}

// What is told of later comes later.
absl::Status ReadSpecUpdates(const Json& event, KubeRayPlot& plot) {
  Json updates = MemberOf(event, "specUpdates");
  if (updates.is_null()) updates = Json::array();
  for (const Json& when :
       {event, MemberOf(event, "then"), MemberOf(event, "afterwards")}) {
    if (MemberOf(when, "specUpdate").is_null()) continue;
    updates.push_back(when["specUpdate"]);
  }
  for (const Json& update : updates) {
    if (auto read = ReadSpecUpdate(update, plot); !read.ok()) return read;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<KubeRayPlot> KubeRayPlotFrom(const CaseInput& input) {
  Json event = MemberOf(input.input, "event");
  KubeRayPlot plot;
  if (event.is_null()) return plot;
  TakeClusterStatus(event, plot);
  absl::Status read = CheckOnlyMembers(
      event, "event",
      {"what", "rayJobInfo", "submitterJob", "secondsSinceSubmitterFinished",
       "rayCluster.status.state", "getJobInfoError", "submitJobError",
       "specUpdate", "specUpdates", "then", "afterwards"});
  if (!read.ok()) return read;
  const Json info = MemberOf(event, "rayJobInfo");
  if (info.is_object()) read = ReadRayInfo(info, plot);
  if (!read.ok()) return read;
  read = ReadTexts(event, plot);
  if (!read.ok()) return read;
  const Json submitter = MemberOf(event, "submitterJob");
  if (!submitter.is_null()) {
    const auto text = TextOrEmpty(submitter, "event.submitterJob");
    if (!text.ok()) return text.status();
    read = ReadSubmitter(*text, plot);
    if (!read.ok()) return read;
  }
  const Json since = MemberOf(event, "secondsSinceSubmitterFinished");
  if (since.is_number()) plot.seconds_since_submitter_finished = since;
  read = ReadSpecUpdates(event, plot);
  if (!read.ok()) return read;
  if (const Json what = MemberOf(event, "what"); !what.is_null()) {
    const auto text = TextOrEmpty(what, "event.what");
    if (!text.ok()) return text.status();
    const bool more = event.size() > 1;
    // Of a deadline the spec tells.
    read = ReadSentence(*text, more || input.kind == "deadline", plot);
    if (!read.ok()) return read;
  }
  return plot;
}

}  // namespace mulligan::conformance
