#include "client/conformance/flyte_phases.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/conformance/protos.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "policy/native/flyte_condition.h"
#include "policy/native/flyte_dask.h"
#include "policy/native/flyte_jobset.h"
#include "policy/native/flyte_kubeflow.h"
#include "policy/native/flyte_pending.h"
#include "policy/native/flyte_pod.h"
#include "policy/native/flyte_ray.h"
#include "policy/native/flyte_spark.h"
#include "policy/native/flyte_terminated.h"

namespace mulligan::conformance {
namespace {

using KubeflowCondition = kubernetes::kubeflow::v1::JobCondition;

template <typename Object>
Object ObjectFrom(const char* name, FlyteCase& test) {
  Object object;
  test.input.Message(name, object);
  return object;
}

flyte::Pod PodFrom(FlyteCase& test) {
  return ObjectFrom<flyte::Pod>("pod", test);
}

flyte::Condition CurrentConditionFrom(FlyteCase& test) {
  const std::vector<KubeflowCondition> mirror = {
      ObjectFrom<KubeflowCondition>("currentCondition", test)};
  return flyte::ConditionsFrom(mirror).front();
}

flyte::ClusteredTask ClusteredTaskFrom(FlyteCase& test) {
  Members spec(test.input.Get("taskSpec"), "input.taskSpec");
  // The size of the gang decides nothing.
  for (const char* const name : {"replicas", "nprocPerNode"}) spec.Get(name);
  Members policy(spec.Get("failurePolicy"), "input.taskSpec.failurePolicy");
  flyte::ClusteredTask task;
  task.max_restarts = policy.Number("maxRestarts");
  task.restart_on_host_maintenance = policy.Flag("restartOnHostMaintenance");
  test.input.Note(policy.Finish());
  test.input.Note(spec.Finish());
  return task;
}

// Names under which the stored state is said to be unreadable. Then it counts
// as none: the peer only logs the error.
constexpr std::array<const char*, 5> kStateErrors = {
    "pluginStateReadError", "pluginStateError", "priorPluginStateReadError",
    "priorPluginStateError", "stateReadError"};

flyte::Phase EarlierPhase(FlyteCase& test) {
  bool is_read = true;
  for (const char* const name : kStateErrors) {
    if (test.input.Has(name)) is_read = false;
  }
  const Json& json = test.input.Get("priorPluginState");
  // The text of the error.
  if (json.is_string()) return flyte::Phase::kUndefined;
  Members state(json, "input.priorPluginState");
  for (const char* const name : {"error", "readError"}) {
    if (state.Has(name)) is_read = false;
  }
  const flyte::Phase phase = state.PhaseOf("phase");
  // Counts messages about one phase.
  for (const char* const name : {"phaseVersion", "reason"}) state.Get(name);
  test.input.Note(state.Finish());
  return is_read ? phase : flyte::Phase::kUndefined;
}

}  // namespace

Json PendingFacts(FlyteCase& test) {
  return PhaseFacts(
      flyte::DemystifyPending(PodFrom(test).status(), test.settings, test.now));
}

Json FailureFacts(FlyteCase& test) {
  return PhaseFacts(flyte::DemystifyFailure(
      PodFrom(test).status(), test.input.Text("primaryContainerName"),
      test.settings.rules));
}

Json SuccessFacts(FlyteCase& test) {
  return PhaseFacts(flyte::DemystifySuccess(PodFrom(test).status()));
}

Json PrimaryContainerFacts(FlyteCase& test) {
  return PhaseFacts(flyte::DeterminePrimaryContainerPhase(
      test.input.Text("primaryContainerName"),
      PodFrom(test).status().container_statuses(), test.settings.rules));
}

Json PodTaskFacts(FlyteCase& test) {
  return PhaseFacts(flyte::PodPhase(PodFrom(test), test.settings, test.now));
}

Json CurrentConditionFacts(FlyteCase& test) {
  const Json& list = test.input.Get("conditions");
  std::optional<flyte::Conditions> conditions;
  if (!list.is_null()) {
    std::vector<KubeflowCondition> mirrors;
    for (const Json& json : list) {
      test.input.Note(
          FillFrom(json, "input.conditions", mirrors.emplace_back()));
    }
    conditions = flyte::ConditionsFrom(mirrors);
  }
  const auto current = flyte::CurrentCondition(std::move(conditions));
  if (current.ok()) return {{"condition", current->type}, {"error", nullptr}};
  return {{"condition", ""},
          {"error", std::string(current.status().message())}};
}

Json KubeflowPhaseFacts(FlyteCase& test) {
  return PhaseFacts(flyte::KubeflowConditionPhase(CurrentConditionFrom(test),
                                                  test.settings.rules));
}

Json MpiPhaseFacts(FlyteCase& test) {
  return PhaseFacts(flyte::MpiConditionPhase(CurrentConditionFrom(test),
                                             test.settings.rules));
}

Json KubeflowJobFacts(FlyteCase& test) {
  const auto job = ObjectFrom<flyte::TrainingJob>("job", test);
  const auto pods = FlytePods(test.input);
  return PhaseFacts(flyte::KubeflowJobPhase(job, PointersToPods(pods),
                                            test.settings, test.now));
}

Json RayJobFacts(FlyteCase& test) {
  const auto job = ObjectFrom<flyte::RayJob>("job", test);
  const auto pods = FlytePods(test.input);
  return PhaseFacts(
      flyte::RayJobPhase(job, PointersToPods(pods),
                         ErrorFileFrom(test.input.Get("errorFile"), test.input),
                         test.settings, test.now));
}

Json SparkApplicationFacts(FlyteCase& test) {
  const auto application = ObjectFrom<flyte::SparkApplication>("job", test);
  const auto pods = FlytePods(test.input);
  return PhaseFacts(flyte::SparkApplicationPhase(
      application, PointersToPods(pods), test.settings, test.now));
}

Json DaskJobFacts(FlyteCase& test) {
  const auto pods = FlytePods(test.input);
  Members job(test.input.Get("job"), "input.job");
  Members metadata(job.Get("metadata"), "input.job.metadata");
  Members status(job.Get("status"), "input.job.status");
  return PhaseFacts(
      flyte::DaskJobPhase({metadata.Text("namespace"), status.Text("jobStatus"),
                           status.Text("jobRunnerPodName")},
                          PointersToPods(pods), test.settings, test.now));
}

Json FlyteJobSetFacts(FlyteCase& test) {
  const auto job_set = ObjectFrom<flyte::JobSet>("job", test);
  const auto pods = FlytePods(test.input);
  return PhaseFacts(
      flyte::JobSetPhase(job_set, PointersToPods(pods), ClusteredTaskFrom(test),
                         EarlierPhase(test), test.settings, test.now));
}

Json BuildFailurePolicyFacts(FlyteCase& test) {
  const auto built = flyte::BuildFailurePolicy(ClusteredTaskFrom(test));
  if (!built.ok()) {
    return {{"jobSetFailurePolicy", nullptr},
            {"error", std::string(built.status().message())}};
  }
  const std::optional<std::int64_t>& max_restarts = *built;
  return {{"jobSetFailurePolicy", max_restarts.has_value()
                                      ? Json{{"maxRestarts", *max_restarts}}
                                      : Json()},
          {"error", nullptr}};
}

}  // namespace mulligan::conformance
