// Plays a case of KubeRay: the RayJob controller's passes, one after the
// other, in a cluster that does what the case tells.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_STORY_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_STORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/conformance/kuberay_plot.h"
#include "policy/native/kuberay_reconcile.h"

namespace mulligan::conformance {

// Workers a story's cluster wants.
inline constexpr int kStoryWorkers = 3;
// More that it may have once its status changes.
inline constexpr int kMoreStoryWorkers = 2;

struct KubeRayScene {
  kuberay::RayJob job;
  kuberay::Settings settings;
  KubeRayPlot plot;
  // A single pass (unit test).
  bool one_pass = false;
  // Clusters become ready, submitters submit and applications end by
  // themselves (end-to-end test); else only what is told happens.
  bool lives = false;
  // When nothing else happens, the next deadline or TTL comes.
  bool time_passes = false;
  // The RayJob's state was given, so the story starts in its middle; and the
  // application goes on unless told otherwise.
  bool in_the_middle = false;
  // What the case says is left of the earlier attempt; absent: as the state
  // has it.
  std::optional<bool> has_cluster;
  std::optional<bool> has_submitter;
  bool scheduler_has_resources = false;
};

// What became of an object.
struct Fate {
  bool exists = false;
  bool was_created = false;
  bool was_deleted = false;
};

struct KubeRayEnding {
  kuberay::RayJob job;
  bool job_deleted = false;
  // Every state the RayJob was in, in order; "New" for the nameless one.
  std::vector<std::string> states;
  // The states in which it came to rest.
  std::vector<std::string> rests;
  std::vector<kuberay::Event> events;
  // Of the last pass; empty: it had none.
  std::string error;
  Fate cluster;
  Fate submitter;
  // The last attempt's submitter Job.
  std::int64_t submitter_failed_pods = 0;
  std::int64_t submitter_succeeded_pods = 0;
  std::int64_t submitter_pods = 0;
  bool submitter_pod_replaced = false;
  std::int64_t container_restarts = 0;
  bool head_exists = false;
  bool head_recreated = false;
  bool workers_suspended = false;
  // The RayJob's status has the cluster's.
  bool cluster_mirrored = false;
  // When the next pass comes by itself after the last; absent: it does not.
  std::optional<std::int64_t> requeue_seconds;
  // Deletions while Suspending.
  bool suspension_deleted_cluster = false;
  bool suspension_deleted_submitter = false;
  std::int64_t attempts = 0;
};

class KubeRayStory {
 public:
  explicit KubeRayStory(KubeRayScene scene);

  // INVALID_ARGUMENT when a change of the spec is malformed.
  absl::Status Play();
  [[nodiscard]] KubeRayEnding Ending() const;

 private:
  enum class Application { kNotStarted, kRunning, kEnded };

  void SetUp();
  void PlayToRest();
  void PassTime();
  kuberay::Pass RunPass() const;
  // Each returns whether anything changed.
  bool Settle(const kuberay::Pass& pass);
  bool SettleDeletions(const kuberay::Pass& pass);
  bool CleanUp(const std::string& policy);
  bool Live();
  bool LiveWhileRunning();
  bool StrikeMishap();

  void StartSubmitter();
  void EndApplication();
  void LoseSubmitterPod(bool pod_remains);
  [[nodiscard]] bool IsIn(std::string_view state) const;
  [[nodiscard]] bool ApplicationGoesOn() const;
  [[nodiscard]] std::optional<absl::Time> NextTimer() const;
  [[nodiscard]] kuberay::RayCluster Cluster() const;
  [[nodiscard]] kuberay::Job Submitter() const;
  [[nodiscard]] kuberay::Pod Head() const;

  KubeRayScene scene_;
  kuberay::RayJob& job_;
  KubeRayEnding ending_;
  absl::Time now_;
  Application application_ = Application::kNotStarted;
  kuberay::RayAnswer ray_;
  bool cluster_ready_ = false;
  int max_workers_ = kStoryWorkers;
  bool mishap_pending_ = false;
  // Of the submitter, Job or container.
  bool submitter_failed_ = false;
  std::optional<absl::Time> submitter_finished_at_;
};

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_STORY_H_
