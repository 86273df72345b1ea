#include "client/conformance/kuberay_story.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/conformance/kuberay_input.h"
#include "policy/native/kuberay_submitter.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

using kuberay::RayAnswer;
using kubernetes_job::TimeOf;
using kubernetes_job::TimestampOf;
using Mishap = KubeRayPlot::Mishap;
using PlotSubmitter = KubeRayPlot::Submitter;

constexpr int kMaxPasses = 500;
constexpr const char* kRayRuns = "RUNNING";

std::string Word(const std::string& state) {
  return state.empty() ? "New" : state;
}

// States in which there is a cluster, and an application on it.
bool HasClusterIn(std::string_view state) {
  return state != kuberay::kNew && state != kuberay::kSuspended;
}
bool HasApplicationIn(std::string_view state) {
  return state == kuberay::kRunning || state == kuberay::kWaiting ||
         kuberay::IsDeploymentTerminal(state);
}

}  // namespace

KubeRayStory::KubeRayStory(KubeRayScene scene)
    : scene_(std::move(scene)), job_(scene_.job), now_(KubeRayNow()) {
  SetUp();
}

bool KubeRayStory::IsIn(std::string_view state) const {
  return job_.status().job_deployment_status() == state;
}

bool KubeRayStory::ApplicationGoesOn() const {
  const auto& ray = scene_.plot.ray;
  return (scene_.in_the_middle || scene_.time_passes) &&
         (!ray.has_value() || !kuberay::IsJobTerminal(ray->job_status));
}

void KubeRayStory::SetUp() {
  auto& status = *job_.mutable_status();
  const std::string state = status.job_deployment_status();
  const KubeRayPlot& plot = scene_.plot;
  mishap_pending_ = plot.mishap != Mishap::kNone;
  ray_.job_status = kRayRuns;
  ending_.cluster.exists =
      scene_.has_cluster.value_or(HasClusterIn(state) && !plot.cluster_gone &&
                                  plot.errors.create_cluster.empty());
  const bool selects = !job_.spec().cluster_selector().empty();
  ending_.cluster.exists |= selects && scene_.lives;
  ending_.head_exists = ending_.cluster.exists;
  cluster_ready_ = HasApplicationIn(state) || plot.cluster_state == "ready";
  const bool k8s_job =
      kuberay::SubmissionModeOf(job_.spec()) == kuberay::kK8sJobMode;
  ending_.submitter.exists = scene_.has_submitter.value_or(
      HasApplicationIn(state) && k8s_job && !plot.cluster_gone);
  if (ending_.submitter.exists || HasApplicationIn(state)) StartSubmitter();
  if (HasClusterIn(state)) {
    if (!status.has_start_time()) {
      *status.mutable_start_time() = TimestampOf(now_);
    }
    if (status.ray_cluster_name().empty()) {
      status.set_ray_cluster_name(kuberay::ClusterNameFor(job_));
    }
  }
  if (HasApplicationIn(state)) {
    if (status.job_id().empty() &&
        kuberay::SubmissionModeOf(job_.spec()) != kuberay::kInteractiveMode) {
      status.set_job_id(kuberay::JobIdFor(job_));
    }
    if (status.dashboard_url().empty()) status.set_dashboard_url("dashboard");
    ending_.attempts = 1;
    application_ = Application::kRunning;
    if (plot.ray.has_value() || plot.submitter != PlotSubmitter::kFollows) {
      EndApplication();
    }
  }
  ending_.states.push_back(Word(state));
}

absl::Status KubeRayStory::Play() {
  PlayToRest();
  for (const Json& update : scene_.plot.spec_updates) {
    absl::Status merged = MergeSpec(update, job_);
    if (!merged.ok()) return merged;
    PlayToRest();
  }
  if (scene_.time_passes) PassTime();
  return absl::OkStatus();
}

void KubeRayStory::PlayToRest() {
  for (int i = 0; i < kMaxPasses && !ending_.job_deleted; ++i) {
    const kuberay::Pass pass = RunPass();
    bool moved = Settle(pass);
    if (scene_.one_pass) break;
    moved |= Live();
    if (!moved) break;
  }
  ending_.rests.push_back(Word(job_.status().job_deployment_status()));
}

// The earliest time to come at which something is due.
std::optional<absl::Time> KubeRayStory::NextTimer() const {
  std::optional<absl::Time> next;
  const auto consider = [&](absl::Time time) {
    if (time > now_ && (!next.has_value() || time < *next)) next = time;
  };
  const auto& spec = job_.spec();
  const auto& status = job_.status();
  const kuberay::Pass pass = RunPass();
  if (pass.clean_up.next.has_value()) consider(TimeOf(*pass.clean_up.next));
  if (kuberay::IsDeploymentTerminal(status.job_deployment_status()) ||
      !status.has_start_time()) {
    return next;
  }
  const absl::Time start = TimeOf(status.start_time());
  if (spec.has_active_deadline_seconds()) {
    consider(start + absl::Seconds(spec.active_deadline_seconds()));
  }
  if (spec.has_pre_running_deadline_seconds() && !IsIn(kuberay::kRunning)) {
    consider(start + absl::Seconds(spec.pre_running_deadline_seconds()));
  }
  return next;
}

void KubeRayStory::PassTime() {
  for (int i = 0; i < kMaxPasses && !ending_.job_deleted; ++i) {
    const auto next = NextTimer();
    if (!next.has_value()) return;
    now_ = *next;
    PlayToRest();
  }
}

kuberay::Pass KubeRayStory::RunPass() const {
  const kuberay::RayCluster cluster = Cluster();
  const kuberay::Job submitter = Submitter();
  const kuberay::Pod head = Head();
  kuberay::World world{job_, scene_.settings};
  if (ending_.cluster.exists) world.cluster = &cluster;
  if (ending_.submitter.exists) world.submitter = &submitter;
  if (ending_.head_exists) world.head_pod = &head;
  world.ray = ray_;
  world.errors = scene_.plot.errors;
  world.scheduler_has_resources = scene_.scheduler_has_resources;
  world.now = TimestampOf(now_);
  return kuberay::Reconcile(world);
}

bool KubeRayStory::Settle(const kuberay::Pass& pass) {
  bool moved = SettleDeletions(pass);
  ending_.error = pass.error;
  ending_.events.insert(ending_.events.end(), pass.events.begin(),
                        pass.events.end());
  if (pass.writes_status) {
    *job_.mutable_status() = pass.status;
    const std::string word = Word(pass.status.job_deployment_status());
    if (ending_.states.back() != word) ending_.states.push_back(word);
    moved = true;
  }
  if (pass.creates_cluster) {
    ending_.cluster.exists = ending_.cluster.was_created = true;
    ending_.head_exists = true;
    cluster_ready_ = !scene_.lives && scene_.plot.cluster_state == "ready";
    application_ = Application::kNotStarted;
    ++ending_.attempts;
    moved = true;
  }
  if (pass.creates_submitter) {
    ending_.submitter.exists = ending_.submitter.was_created = true;
    StartSubmitter();
    moved = true;
  }
  if (pass.submits_to_ray && scene_.lives) {
    ray_ = RayAnswer{};
    ray_.job_status = kRayRuns;
    application_ = Application::kRunning;
    moved = true;
  }
  if (!pass.clean_up.policy.empty()) moved |= CleanUp(pass.clean_up.policy);
  const auto& mirror = job_.status().ray_cluster_status();
  ending_.cluster_mirrored = ending_.cluster.exists &&
                             mirror.desired_worker_replicas() > 0 &&
                             mirror.max_worker_replicas() == max_workers_;
  ending_.requeue_seconds.reset();
  if (pass.clean_up.next.has_value()) {
    ending_.requeue_seconds =
        absl::ToInt64Seconds(TimeOf(*pass.clean_up.next) - now_);
  } else if (!pass.waits_for_change) {
    ending_.requeue_seconds = kuberay::kRequeueSeconds;
  }
  return moved;
}

bool KubeRayStory::SettleDeletions(const kuberay::Pass& pass) {
  bool moved = false;
  const bool suspends = IsIn(kuberay::kSuspending);
  if (pass.deletes_cluster && !scene_.plot.cluster_deletion_blocked) {
    ending_.cluster.exists = ending_.head_exists = cluster_ready_ = false;
    ending_.cluster.was_deleted = true;
    ending_.suspension_deleted_cluster |= suspends;
    moved = true;
  }
  if (pass.deletes_submitter) {
    ending_.submitter.exists = false;
    ending_.submitter.was_deleted = true;
    ending_.suspension_deleted_submitter |= suspends;
    moved = true;
  }
  return moved;
}

bool KubeRayStory::CleanUp(const std::string& policy) {
  if (policy == "DeleteWorkers") {
    ending_.workers_suspended = true;
    return true;
  }
  ending_.cluster.was_deleted |= ending_.cluster.exists;
  ending_.cluster.exists = ending_.head_exists = false;
  ending_.job_deleted = policy == "DeleteSelf";
  if (ending_.job_deleted) {
    ending_.submitter.was_deleted |= ending_.submitter.exists;
    ending_.submitter.exists = false;
  }
  return true;
}

void KubeRayStory::StartSubmitter() {
  submitter_failed_ = false;
  submitter_finished_at_.reset();
  ending_.submitter_failed_pods = ending_.submitter_succeeded_pods = 0;
  ending_.submitter_pods = 1;
}

// Ray and the submitter come to the end that was told.
void KubeRayStory::EndApplication() {
  application_ = Application::kEnded;
  const KubeRayPlot& plot = scene_.plot;
  if (plot.ray.has_value()) {
    ray_ = *plot.ray;
  } else if (!ApplicationGoesOn()) {
    ray_.job_status = kuberay::kJobSucceeded;
  }
  if (scene_.lives && ray_.kind == RayAnswer::Kind::kStatus) {
    // Ray tells both by itself.
    if (!ray_.start_time.has_value()) ray_.start_time = TimestampOf(now_);
    if (!ray_.end_time.has_value() && kuberay::IsJobTerminal(ray_.job_status)) {
      ray_.end_time = TimestampOf(now_);
    }
  }
  const absl::Time finished =
      now_ - absl::Seconds(plot.seconds_since_submitter_finished.value_or(0));
  switch (plot.submitter) {
    case PlotSubmitter::kUnfinished:
      return;
    case PlotSubmitter::kFails:
      submitter_failed_ = true;
      submitter_finished_at_ = finished;
      ending_.submitter_failed_pods = ending_.submitter_pods =
          kuberay::SubmitterBackoffLimit(job_.spec()) + 1;
      return;
    case PlotSubmitter::kFollows:
      if (!kuberay::IsJobTerminal(ray_.job_status)) return;
      break;
    case PlotSubmitter::kSucceeds:
      break;
  }
  submitter_finished_at_ = finished;
  ending_.submitter_succeeded_pods = 1;
}

void KubeRayStory::LoseSubmitterPod(bool pod_remains) {
  ++ending_.submitter_failed_pods;
  if (ending_.submitter_failed_pods >
      kuberay::SubmitterBackoffLimit(job_.spec())) {
    submitter_failed_ = true;
    submitter_finished_at_ = now_;
    return;
  }
  ending_.submitter_pod_replaced = true;
  if (pod_remains) ++ending_.submitter_pods;
}

bool KubeRayStory::StrikeMishap() {
  mishap_pending_ = false;
  const std::string_view mode = kuberay::SubmissionModeOf(job_.spec());
  switch (scene_.plot.mishap) {
    case Mishap::kNone:
      return false;
    case Mishap::kSubmitterPodLost:
      LoseSubmitterPod(/*pod_remains=*/false);
      return true;
    case Mishap::kContainerKilled:
      if (scene_.settings.sidecar_submitter_restart) {
        ++ending_.container_restarts;
      } else {
        submitter_failed_ = true;
        submitter_finished_at_ = now_;
      }
      return true;
    case Mishap::kClusterStatusChanges:
      max_workers_ += kMoreStoryWorkers;
      return true;
    case Mishap::kHeadLost:
      break;
  }
  if (mode == kuberay::kSidecarMode) {
    // The cluster was up once and does not get a second head.
    ending_.head_exists = false;
    return true;
  }
  ending_.head_recreated = true;
  ray_ = RayAnswer{};
  ray_.kind = RayAnswer::Kind::kNotFound;
  if (mode == kuberay::kK8sJobMode) {
    LoseSubmitterPod(/*pod_remains=*/true);
    if (!submitter_failed_) {
      // The next pod finds no such submission and submits anew.
      ray_.kind = RayAnswer::Kind::kStatus;
      ray_.job_status = kRayRuns;
    }
  }
  return true;
}

bool KubeRayStory::LiveWhileRunning() {
  if (application_ == Application::kNotStarted) {
    application_ = Application::kRunning;
    ray_ = RayAnswer{};
    ray_.job_status = kRayRuns;
    StartSubmitter();
    if (scene_.plot.submitter == PlotSubmitter::kFails) EndApplication();
    return true;
  }
  if (application_ == Application::kEnded || submitter_failed_) return false;
  if (mishap_pending_) return StrikeMishap();
  if (ApplicationGoesOn() || ray_.kind != RayAnswer::Kind::kStatus) {
    return false;
  }
  EndApplication();
  return true;
}

bool KubeRayStory::Live() {
  if (!scene_.lives) {
    return mishap_pending_ && IsIn(kuberay::kRunning) && StrikeMishap();
  }
  if (ending_.cluster.exists && !cluster_ready_ &&
      !scene_.plot.cluster_never_ready) {
    cluster_ready_ = true;
    return true;
  }
  return IsIn(kuberay::kRunning) && LiveWhileRunning();
}

KubeRayEnding KubeRayStory::Ending() const {
  KubeRayEnding ending = ending_;
  ending.job = job_;
  return ending;
}

}  // namespace mulligan::conformance
