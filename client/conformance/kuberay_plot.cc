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

constexpr const char* kRefused = "refused";

// What a sentence means that has all the words, in any order. The first row
// that fits counts, so the more telling ones stand first.
struct SentenceRow {
  std::array<std::string_view, kMaxWords> words;
  Apply apply;
};

constexpr std::array<SentenceRow, 36> kSentences = {{
    {{"submitter", "pod", "deleted"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kSubmitterPodLost; }},
    {{"submitter", "pod", "killed"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kSubmitterPodLost; }},
    {{"submitter", "container", "killed"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kContainerKilled; }},
    {{"deleting", "submitter", "error"},
     [](KubeRayPlot& plot) { plot.errors.delete_submitter = kRefused; }},
    {{"deleting", "raycluster", "error"},
     [](KubeRayPlot& plot) { plot.errors.delete_cluster = kRefused; }},
    {{"creating", "submitter", "error"},
     [](KubeRayPlot& plot) { plot.errors.create_submitter = kRefused; }},
    {{"rejects", "submitter"},
     [](KubeRayPlot& plot) { plot.errors.create_submitter = kRefused; }},
    {{"creating", "raycluster", "error"},
     [](KubeRayPlot& plot) { plot.errors.create_cluster = kRefused; }},
    {{"rejects", "raycluster"},
     [](KubeRayPlot& plot) { plot.errors.create_cluster = kRefused; }},
    {{"create", "worker pod", "fail"},
     [](KubeRayPlot& plot) { plot.uncreatable_node = "worker"; }},
    {{"create", "head pod", "fail"},
     [](KubeRayPlot& plot) { plot.uncreatable_node = "head"; }},
    {{"creating", "worker pod", "error"},
     [](KubeRayPlot& plot) { plot.uncreatable_node = "worker"; }},
    {{"creating", "head pod", "error"},
     [](KubeRayPlot& plot) { plot.uncreatable_node = "head"; }},
    {{"head pod", "deleted"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kHeadLost; }},
    {{"head pod", "evicted"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kHeadLost; }},
    {{"head pod", "killed"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kHeadLost; }},
    {{"head pod", "lost"},
     [](KubeRayPlot& plot) { plot.mishap = Mishap::kHeadLost; }},
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
    {{"submitter", "cannot", "connect"}, SubmitterFails},
    {{"submitter", "can't", "connect"}, SubmitterFails},
    {{"submitter", "backofflimit", "reach"}, SubmitterFails},
    {{"submitter", "fails"}, SubmitterFails},
    {{"submitter", "failed"}, SubmitterFails},
    {{"raycluster", "not ready"}, Nothing},
    {{"cluster", "never ready"},
     [](KubeRayPlot& plot) { plot.cluster_never_ready = true; }},
    {{"cluster", "finalizer", "gone"},
     [](KubeRayPlot& plot) { plot.cluster_gone = true; }},
    {{"cluster", "blocked"},
     [](KubeRayPlot& plot) { plot.cluster_deletion_blocked = true; }},
    {{"cluster", "still terminating"},
     [](KubeRayPlot& plot) { plot.cluster_deletion_blocked = true; }},
    {{"cluster", "gone"}, [](KubeRayPlot& plot) { plot.cluster_gone = true; }},
    {{"application", "exits", "error"}, RayFails},
    {{"application", "fails"}, RayFails},
    // Time passes; the deadline is in the spec.
    {{"elapse"}, Nothing},
    {{"still running"}, Nothing},
}};

bool Fits(const SentenceRow& row, std::string_view sentence) {
  return std::all_of(
      row.words.begin(), row.words.end(),
      [&](std::string_view word) { return Says(sentence, word); });
}

absl::Status ReadSentence(const std::string& what, bool others_tell,
                          KubeRayPlot& plot) {
  const std::string sentence = absl::AsciiStrToLower(what);
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

void ReadDashboardError(const std::string& error, KubeRayPlot& plot) {
  const std::string word = absl::AsciiStrToLower(error);
  const bool unknown = Says(word, "not found") || Says(word, "badrequest") ||
                       Says(word, "bad request") || Says(word, "400");
  plot.ray.emplace();
  plot.ray->kind =
      unknown ? RayAnswer::Kind::kNotFound : RayAnswer::Kind::kError;
}

}  // namespace

absl::StatusOr<KubeRayPlot> KubeRayPlotFrom(const CaseInput& input) {
  const Json event = MemberOf(input.input, "event");
  KubeRayPlot plot;
  if (event.is_null()) return plot;
  absl::Status read = CheckOnlyMembers(
      event, "event",
      {"what", "rayJobInfo", "submitterJob", "secondsSinceSubmitterFinished",
       "rayCluster.status.state", "getJobInfoError", "submitJobError",
       "specUpdate", "specUpdates"});
  if (!read.ok()) return read;
  if (const Json info = MemberOf(event, "rayJobInfo"); info.is_object()) {
    read = ReadRayInfo(info, plot);
    if (!read.ok()) return read;
  }
  for (const auto& [name, apply] :
       {std::pair<const char*, void (*)(const std::string&, KubeRayPlot&)>(
            "getJobInfoError", ReadDashboardError),
        {"submitJobError",
         [](const std::string&error, KubeRayPlot&into) {
           into.errors.submit = error;
         }},
        {"rayCluster.status.state",
         [](const std::string&state, KubeRayPlot&into) {
           into.cluster_state = state;
         }}}) {
    if (MemberOf(event, name).is_null()) continue;
    const auto text = TextOrEmpty(event[name], name);
    if (!text.ok()) return text.status();
    apply(*text, plot);
  }
  if (const Json submitter = MemberOf(event, "submitterJob");
      !submitter.is_null()) {
    const auto text = TextOrEmpty(submitter, "event.submitterJob");
    if (!text.ok()) return text.status();
    read = ReadSubmitter(*text, plot);
    if (!read.ok()) return read;
  }
  if (const Json since = MemberOf(event, "secondsSinceSubmitterFinished");
      since.is_number()) {
    plot.seconds_since_submitter_finished = since.get<std::int64_t>();
  }
  Json updates = MemberOf(event, "specUpdates");
  if (updates.is_null()) updates = Json::array();
  if (event.contains("specUpdate")) updates.push_back(event["specUpdate"]);
  for (const Json& update : updates) {
    read = ReadSpecUpdate(update, plot);
    if (!read.ok()) return read;
  }
  if (const Json what = MemberOf(event, "what"); !what.is_null()) {
    const auto text = TextOrEmpty(what, "event.what");
    if (!text.ok()) return text.status();
    // Of a deadline the spec tells.
    read =
        ReadSentence(*text, event.size() > 1 || input.kind == "deadline", plot);
    if (!read.ok()) return read;
  }
  return plot;
}

}  // namespace mulligan::conformance
