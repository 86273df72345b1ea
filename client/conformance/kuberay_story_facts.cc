#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/conformance/compare.h"
#include "client/conformance/kuberay_facts.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/kuberay_plot.h"
#include "client/conformance/kuberay_story.h"
#include "client/conformance/protos.h"
#include "policy/native/kuberay_submitter.h"
#include "policy/native/kuberay_validation.h"

namespace mulligan::conformance {
namespace {

using kuberay::RayJob;
using kuberay::RayJobStatus;

// A version of Ray that knows tokens.
constexpr const char* kTokenAuthVersion = "2.52.0";

Json Unset() { return Described(UnsetWords()); }

// The nameless state has a word as well.
Json StateWords(const std::string& state) {
  return state.empty() ? Described({"", "New"}) : Json(state);
}

Json TimeSetTo(bool is_set, const google::protobuf::Timestamp& time) {
  return is_set ? Described({TimestampJson(time), "set"}) : Unset();
}

Json SetTo(const std::string& value) {
  return value.empty() ? Unset() : Described({value, "set"});
}

// A text the operator may keep or replace.
Json KeptOrNew(const std::string& before, const std::string& after,
               std::string_view new_words) {
  if (after.empty()) return Unset();
  std::vector<Json> wordings = {after, "set"};
  wordings.emplace_back(before == after ? "unchanged" : std::string(new_words));
  return Described(std::move(wordings));
}

std::vector<Json> FateWords(const Fate& fate) {
  if (!fate.exists) {
    if (fate.was_deleted) return {"deleted", "gone"};
    return {"none", nullptr, "not created", "never created"};
  }
  std::vector<Json> words = {"kept"};
  if (fate.was_created) words.emplace_back("created");
  return words;
}

// What becomes of an object owned by the RayJob when that is deleted.
Json CascadeOf(const Fate& fate) {
  return Described(fate.exists
                       ? std::vector<Json>{"deleted (cascade)", "deleted"}
                       : FateWords(fate));
}

void AddStatus(const RayJobStatus& before, const KubeRayEnding& ending,
               Json& facts) {
  const RayJobStatus& status = ending.job.status();
  facts["jobDeploymentStatus"] = StateWords(status.job_deployment_status());
  facts["jobStatus"] = StateWords(status.job_status());
  facts["reason"] = status.reason();
  facts["message"] = status.message();
  facts["failed"] = status.failed();
  facts["succeeded"] = status.succeeded();
  facts["jobId"] = KeptOrNew(before.job_id(), status.job_id(), "a new id");
  facts["rayClusterName"] = KeptOrNew(before.ray_cluster_name(),
                                      status.ray_cluster_name(), "a new name");
  facts["dashboardURL"] = SetTo(status.dashboard_url());
  facts["startTime"] = TimeSetTo(status.has_start_time(), status.start_time());
  facts["endTime"] = TimeSetTo(status.has_end_time(), status.end_time());
  facts["jobStatusCheckFailureStartTime"] =
      TimeSetTo(status.has_job_status_check_failure_start_time(),
                status.job_status_check_failure_start_time());
  const auto& info = status.ray_job_info();
  const Json times = {
      {"startTime", TimeSetTo(info.has_start_time(), info.start_time())},
      {"endTime", TimeSetTo(info.has_end_time(), info.end_time())}};
  facts["rayJobInfo"] = times;
  for (const auto& [name, value] : times.items()) {
    facts["rayJobInfo." + name] = value;
  }
  facts["rayClusterStatus"] = Unset();
  if (!ending.cluster_mirrored) return;
  const Json cluster = MessageJson(status.ray_cluster_status());
  facts["rayClusterStatus"] = Described(
      {"mirrored into the RayJob status", "mirrored", "propagated", "updated"},
      cluster);
  for (const auto& [name, value] : cluster.items()) {
    facts["rayClusterStatus." + name] =
        Described({value, "updated", "mirrored", "propagated"});
  }
}

// When the controller looks again by itself.
void AddRequeue(const KubeRayEnding& ending, Json& facts) {
  facts["requeue"] = facts["requeued"] = ending.requeue_seconds.has_value();
  const Json after =
      ending.requeue_seconds.has_value()
          ? Described({*ending.requeue_seconds,
                       absl::StrCat(*ending.requeue_seconds, "s"), ">0"})
          : Described({0, "0s", nullptr, "none"});
  facts["requeueAfter"] = facts["requeueAfterSeconds"] = after;
}

void AddHistory(const KubeRayEnding& ending, Json& facts) {
  // A test may begin to look at any time, and see only where things rest.
  std::vector<Json> wordings = {ending.rests};
  for (auto from = ending.states.begin(); from != ending.states.end(); ++from) {
    wordings.emplace_back(std::vector<std::string>(from, ending.states.end()));
  }
  facts["transitions"] = Described(std::move(wordings));
  facts["jobDeploymentStatusHistory"] = ending.states;
  const auto retries =
      std::count(ending.states.begin(), ending.states.end(), "Retrying");
  facts["retriesGranted"] = retries;
  facts["totalAttempts"] = ending.attempts;
}

void AddSubmitter(const KubeRayEnding& ending, Json& facts) {
  facts["submitterJob"] = Described(
      FateWords(ending.submitter),
      {{"spec.backoffLimit", kuberay::SubmitterBackoffLimit(ending.job.spec())},
       {"status.failed", ending.submitter_failed_pods},
       {"status.succeeded", ending.submitter_succeeded_pods}});
  facts["submitterPods"] = ending.submitter_pods;
  if (ending.submitter_pod_replaced) {
    facts["submitterPod"] = Described({"a new one, same Job", "recreated"});
    facts["newSubmitterLog"] = std::string(kuberay::kAlreadySubmitted);
  }
  facts["submitterJobs"] = ending.submitter.exists ? 1 : 0;
  const Json restarts = ending.container_restarts > 0
                            ? Described({ending.container_restarts, ">0"})
                            : Json(0);
  facts["submitterContainer.restartCount"] = restarts;
  facts["submitterContainer"] =
      kuberay::SubmissionModeOf(ending.job.spec()) == kuberay::kSidecarMode
          ? Described({"present", "injected"}, {{"restartCount", restarts}})
          : Described({"none", "absent", nullptr});
}

void AddObjects(const KubeRayEnding& ending, Json& facts) {
  facts["rayJob"] = ending.job_deleted ? "deleted" : "kept";
  facts["rayCluster"] = Described(FateWords(ending.cluster));
  facts["oldRayCluster"] = ending.cluster.was_deleted ? "deleted" : "kept";
  facts["oldSubmitterJob"] = ending.submitter.was_deleted ? "deleted" : "kept";
  facts["headPod"] =
      ending.head_recreated ? Json("recreated")
      : ending.head_exists
          ? Json("kept")
          : Described({"none", "gone", "deleted", "not recreated"});
  facts["headPods"] = ending.head_exists ? 1 : 0;
  facts["workerGroupsSuspended"] = ending.workers_suspended;
  if (ending.workers_suspended || !ending.cluster.exists) {
    facts["workerPods"] = 0;
  }
  facts["afterRayJobDeleted"] = {{"rayCluster", CascadeOf(ending.cluster)},
                                 {"submitterJob", CascadeOf(ending.submitter)}};
  facts["onSuspend"] = {
      {"rayCluster", ending.suspension_deleted_cluster ? "deleted" : "kept"},
      {"submitterJob",
       ending.suspension_deleted_submitter ? "deleted" : "kept"}};
}

// "Failed to create RayCluster default/x: why" without the name and the why.
std::string Headline(const std::string& message, const RayJob& job) {
  const std::size_t name = message.find(job.metadata().namespace_() + "/");
  if (name == std::string::npos || name == 0) return message;
  return message.substr(0, name - 1);
}

void AddOutcome(const KubeRayEnding& ending, Json& facts) {
  const bool error = !ending.error.empty();
  facts["error"] = facts["returnsError"] = facts["reconcileError"] = error;
  for (const char* const name : {"event", "eventNote", "eventEmitted"}) {
    facts[name] = Json();
    if (ending.events.empty()) continue;
    const kuberay::Event& event = ending.events.back();
    facts[name] = Described(
        {event.reason, event.message, Headline(event.message, ending.job)});
  }
}

// The state while the submitter has not ended yet, with the same answer of Ray.
absl::StatusOr<Json> WhileSubmitterUnfinished(KubeRayScene scene) {
  scene.plot.submitter = KubeRayPlot::Submitter::kUnfinished;
  scene.lives = false;
  scene.time_passes = false;
  KubeRayStory story(std::move(scene));
  absl::Status played = story.Play();
  if (!played.ok()) return played;
  return story.Ending().job.status().job_deployment_status();
}

// What tests' objects have without a word in the case: a cluster, what a
// suspension demands, and the state in which things are created.
void Complete(const CaseInput& input, KubeRayPlot& plot, RayJob& job) {
  if (input.kind == "creation-failure" && !job.has_status()) {
    job.mutable_status()->set_job_deployment_status(
        std::string(kuberay::kInitializing));
    if (plot.errors.create_cluster.empty()) {
      plot.cluster_state = std::string(kuberay::kClusterReady);
    }
  }
  auto& spec = *job.mutable_spec();
  if (!spec.ray_cluster_spec().has_head_group_spec() &&
      spec.cluster_selector().empty()) {
    spec.mutable_ray_cluster_spec()
        ->mutable_head_group_spec()
        ->mutable_template_()
        ->mutable_spec()
        ->add_containers()
        ->set_name("ray-head");
  }
  if (spec.ray_cluster_spec().auth_options().mode() == "token" &&
      spec.ray_cluster_spec().ray_version().empty()) {
    spec.mutable_ray_cluster_spec()->set_ray_version(kTokenAuthVersion);
  }
  // Of a deadline for the time before Running alone is told because it passes.
  if (input.kind == "deadline" && spec.has_pre_running_deadline_seconds() &&
      !spec.has_active_deadline_seconds() && !plot.ray.has_value() &&
      !plot.runs_in_time) {
    plot.cluster_never_ready = true;
  }
  const std::string& state = job.status().job_deployment_status();
  if (!spec.has_suspend() &&
      (state == kuberay::kSuspending || state == kuberay::kSuspended)) {
    spec.set_suspend(true);
  }
  const bool suspends =
      spec.suspend() ||
      std::any_of(
          plot.spec_updates.begin(), plot.spec_updates.end(),
          [](const Json& update) { return update.value("suspend", false); });
  if (suspends && !spec.has_shutdown_after_job_finishes()) {
    spec.set_shutdown_after_job_finishes(true);
  }
}

absl::Status ReadBatchScheduler(const Json& scheduler, KubeRayScene& scene) {
  if (scheduler.is_null()) return absl::OkStatus();
  absl::Status known =
      CheckOnlyMembers(scheduler, "batchScheduler", {"didUpdate", "error"});
  if (!known.ok()) return known;
  const auto error = TextOrEmpty(MemberOf(scheduler, "error"), "error");
  if (!error.ok()) return error.status();
  scene.plot.errors.clean_up_scheduler = *error;
  scene.scheduler_has_resources = scheduler.value("didUpdate", true);
  return absl::OkStatus();
}

// {"rayCluster": "gone", "submitterJob": "gone"}
absl::Status ReadResources(const Json& resources, KubeRayScene& scene) {
  if (resources.is_null()) return absl::OkStatus();
  absl::Status known =
      CheckOnlyMembers(resources, "resources", {"rayCluster", "submitterJob"});
  if (!known.ok()) return known;
  const auto is_there = [](const Json& word) -> std::optional<bool> {
    if (word.is_null()) return std::nullopt;
    return word != "gone" && word != "deleted" && word != "none";
  };
  scene.has_cluster = is_there(MemberOf(resources, "rayCluster"));
  scene.has_submitter = is_there(MemberOf(resources, "submitterJob"));
  return absl::OkStatus();
}

absl::StatusOr<KubeRayScene> SceneFrom(const CaseInput& input) {
  absl::Status read = CheckOnlyMembers(
      input.input, "input",
      {"kind", "level", "spec", "metadata", "statusBefore", "event",
       "operatorEnv", "featureGates", "resources", "batchScheduler"});
  if (!read.ok()) return read;
  KubeRayScene scene;
  auto settings = KubeRaySettings(input);
  if (!settings.ok()) return settings.status();
  scene.settings = *settings;
  auto job = RayJobFrom(input.input);
  if (!job.ok()) return job.status();
  scene.job = *std::move(job);
  auto plot = KubeRayPlotFrom(input);
  if (!plot.ok()) return plot.status();
  scene.plot = *std::move(plot);
  read = ReadBatchScheduler(MemberOf(input.input, "batchScheduler"), scene);
  if (!read.ok()) return read;
  read = ReadResources(MemberOf(input.input, "resources"), scene);
  if (!read.ok()) return read;
  Complete(input, scene.plot, scene.job);
  scene.one_pass = IsUnit(input) || IsPassOfSuspended(input);
  scene.lives = IsEndToEnd(input);
  scene.time_passes = input.kind == "deadline";
  scene.in_the_middle =
      MemberOf(input.input, "statusBefore").contains("jobDeploymentStatus");
  if (scene.lives && !scene.in_the_middle) {
    // An end-to-end test sees the status its cluster brings about.
    scene.job.clear_status();
  }
  return scene;
}

}  // namespace

absl::StatusOr<Json> RayJobStoryFacts(const CaseInput& input) {
  auto scene = SceneFrom(input);
  if (!scene.ok()) return scene.status();
  Json facts;
  if (!kuberay::ValidateRayJobSchema(scene->job.spec()).empty()) {
    facts["admission"] = "rejected (Invalid)";
    facts["jobDeploymentStatus"] = nullptr;
    return facts;
  }
  facts["admission"] = "admitted";
  if (scene->in_the_middle && kuberay::HasSubmitter(scene->job.spec())) {
    auto state = WhileSubmitterUnfinished(*scene);
    if (!state.ok()) return state.status();
    facts["whileSubmitterUnfinished"] = *state;
  }
  facts["timeoutSeconds"] = kuberay::kSubmitterFinishedTimeoutSeconds;
  RayJobStatus before = scene->job.status();
  KubeRayStory story(*std::move(scene));
  absl::Status played = story.Play();
  if (!played.ok()) return played;
  const KubeRayEnding ending = story.Ending();
  if (before.job_id().empty() && !ending.states.empty() &&
      std::count(ending.states.begin(), ending.states.end(), "Initializing") <
          2) {
    // One attempt has one id.
    before.set_job_id(ending.job.status().job_id());
  }
  AddStatus(before, ending, facts);
  AddHistory(ending, facts);
  AddSubmitter(ending, facts);
  AddObjects(ending, facts);
  AddOutcome(ending, facts);
  AddRequeue(ending, facts);
  return facts;
}

}  // namespace mulligan::conformance
