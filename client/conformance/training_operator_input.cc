#include "client/conformance/training_operator_input.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/conformance/compare.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "policy/native/training_operator_conditions.h"
#include "policy/native/training_operator_limits.h"
#include "policy/native/training_operator_status.h"

namespace mulligan::conformance {
namespace {

namespace to = training_operator;

constexpr std::string_view kJobName = "test-job";

// Folders of the controllers.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6>
    kFolders = {{{"/pytorch/", "PyTorchJob"},
                 {"/mpi/", "MPIJob"},
                 {"/xgboost/", "XGBoostJob"},
                 {"/paddlepaddle/", "PaddleJob"},
                 {"/jax/", "JAXJob"},
                 {"/tensorflow/", "TFJob"}}};

const to::Kind& KindIn(const CaseInput& input) {
  for (const auto& [folder, name] : kFolders) {
    if (input.source.find(folder) != std::string::npos) {
      return *to::FindKind(name);
    }
  }
  return *to::FindKind("TFJob");
}

google::protobuf::Map<std::string, to::ReplicaSpec>& ReplicasIn(
    to::TrainingJobSpec& spec, to::Framework framework) {
  switch (framework) {
    case to::Framework::kPyTorch:
      return *spec.mutable_pytorch_replica_specs();
    case to::Framework::kTensorFlow:
      return *spec.mutable_tf_replica_specs();
    case to::Framework::kMpi:
      return *spec.mutable_mpi_replica_specs();
    case to::Framework::kXgBoost:
      return *spec.mutable_xgb_replica_specs();
    case to::Framework::kPaddle:
      return *spec.mutable_paddle_replica_specs();
    case to::Framework::kJax:
      break;
  }
  return *spec.mutable_jax_replica_specs();
}

// Members of an event that hold pods, and the replica type they are of.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7>
    kPodMembers = {{{"pod", "Worker"},
                    {"workerPod", "Worker"},
                    {"launcherPod", "Launcher"},
                    {"masterPod", "Master"},
                    {"chiefPod", "Chief"},
                    {"psPod", "PS"},
                    {"evaluatorPod", "Evaluator"}}};

// The type of "workerPod" and "workerPods"; empty: none.
std::string PodType(std::string_view member) {
  if (member.ends_with('s')) member.remove_suffix(1);
  for (const auto& [name, type] : kPodMembers) {
    if (name == member) return std::string(type);
  }
  return "";
}

// Short members of a spec: a number of replicas, or true for one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6>
    kShortMembers = {{{"chief", "Chief"},
                      {"master", "Master"},
                      {"launcher", "Launcher"},
                      {"workers", "Worker"},
                      {"ps", "PS"},
                      {"evaluators", "Evaluator"}}};

}  // namespace

TrainingScene::TrainingScene(const CaseInput& input) : kind_(KindIn(input)) {
  job_.set_kind(std::string(kind_.name));
  job_.mutable_metadata()->set_name(std::string(kJobName));
  job_.mutable_metadata()->set_namespace_("default");
  if (EraOf(input) == TrainerEra::kTfOperator) {
    version_.exit_codes = to::ExitCodeTable::kTf2018;
  }
}

to::ReplicaSpec& TrainingScene::Replica(const std::string& type) {
  return ReplicasIn(*job_.mutable_spec(), kind_.framework)[type];
}

to::Pod& TrainingScene::AddPod(const std::string& type, std::string_view phase,
                               std::optional<std::int32_t> exit_code) {
  const int index = next_index_[type]++;
  to::Pod& pod = pods_.emplace_back();
  const std::string lower = absl::AsciiStrToLower(type);
  pod.mutable_metadata()->set_name(
      absl::StrCat(job_.metadata().name(), "-", lower, "-", index));
  auto& labels = *pod.mutable_metadata()->mutable_labels();
  labels[std::string(to::kReplicaTypeLabel)] = lower;
  labels[std::string(to::kReplicaIndexLabel)] = absl::StrCat(index);
  pod.mutable_status()->set_phase(std::string(phase));
  if (exit_code.has_value()) {
    auto& container = *pod.mutable_status()->add_container_statuses();
    container.set_name(std::string(kind_.container));
    container.mutable_state()->mutable_terminated()->set_exit_code(*exit_code);
  }
  return pod;
}

to::Scene TrainingScene::Scene() {
  replicas_ = to::ReplicasOf(job_, kind_);
  pointers_.clear();
  for (const to::Pod& pod : pods_) pointers_.push_back(&pod);
  return {job_, kind_, replicas_, pointers_, version_, TrainerNow()};
}

to::Pass TrainingScene::Reconcile() { return to::Reconcile(Scene()); }

bool TrainingScene::IsWorker0Completed() {
  return to::IsWorker0Completed(Scene());
}

std::string TrainingScene::SuccessPolicyCondition() {
  const to::Scene scene = Scene();
  to::JobStatus status = job_.status();
  to::Pods restarted;
  for (const auto& [type, spec] : replicas_) {
    to::ReconcileReplica(scene, type, status, restarted);
  }
  return to::SuccessPolicyCondition(scene, status);
}

std::int64_t TrainingScene::CountedRestarts() {
  const to::Scene scene = Scene();
  return to::CountedRestarts(scene.replicas, scene.pods);
}

absl::Status AddPodsFrom(const Json& json, const std::string& type,
                         TrainingScene& scene) {
  if (json.is_array()) {
    for (const Json& entry : json) {
      absl::Status added = AddPodsFrom(entry, type, scene);
      if (!added.ok()) return added;
    }
    return absl::OkStatus();
  }
  absl::Status known = CheckOnlyMembers(
      json, "pod", {"phase", "exitCode", "restartCount", "reason", "count"});
  if (!known.ok()) return known;
  const Json code = MemberOrNull(json, "exitCode");
  const Json count = MemberOrNull(json, "count");
  const int number = count.is_number_integer() ? count.get<int>() : 1;
  for (int i = 0; i < number; ++i) {
    to::Pod& pod = scene.AddPod(type, TextOf(json, "phase"),
                                code.is_number_integer()
                                    ? std::optional(code.get<std::int32_t>())
                                    : std::nullopt);
    pod.mutable_status()->set_reason(TextOf(json, "reason"));
    const Json restarts = MemberOrNull(json, "restartCount");
    if (restarts.is_number_integer()) {
      pod.mutable_status()->add_container_statuses()->set_restart_count(
          restarts.get<std::int32_t>());
    }
  }
  return absl::OkStatus();
}

absl::Status ReadSpec(const Json& input, TrainingScene& scene) {
  Json spec = MemberOrNull(input, "spec");
  if (spec.is_null()) return absl::OkStatus();
  absl::Status known = CheckOnlyMembers(
      spec, "spec",
      {"chief", "master", "launcher", "workers", "ps", "evaluators",
       "successPolicy", "enableDynamicWorker", "restartPolicy", "runPolicy",
       "restart", "restarting", "elasticPolicy", "pytorchReplicaSpecs",
       "tfReplicaSpecs", "mpiReplicaSpecs", "xgbReplicaSpecs",
       "paddleReplicaSpecs", "jaxReplicaSpecs"});
  if (!known.ok()) return known;
  const std::string policy = TextOf(spec, "restartPolicy");
  for (const auto& [member, type] : kShortMembers) {
    const Json count = MemberOrNull(spec, member);
    const int number = count.is_number_integer()
                           ? count.get<int>()
                           : (count == Json(true) ? 1 : 0);
    if (number == 0) continue;
    to::ReplicaSpec& replica = scene.Replica(std::string(type));
    replica.set_replicas(number);
    replica.set_restart_policy(policy);
  }
  // Said of the case's pods, no member of a job.
  for (const char* const member : {"restart", "restarting"}) {
    spec.erase(member);
  }
  return FillFrom(spec, "spec", *scene.job().mutable_spec());
}

absl::Status ReadEventPods(const Json& input,
                           std::initializer_list<std::string_view> known,
                           TrainingScene& scene) {
  const Json event = MemberOrNull(input, "event");
  if (event.is_null()) return absl::OkStatus();
  for (const auto& [name, value] : event.items()) {
    const std::string type = PodType(name);
    if (type.empty()) {
      absl::Status understood =
          CheckOnlyMembers({{name, value}}, "event", known);
      if (!understood.ok()) return understood;
      continue;
    }
    absl::Status added = AddPodsFrom(value, type, scene);
    if (!added.ok()) return added;
    scene.Replica(type);
  }
  return absl::OkStatus();
}

Json TrainingPassFacts(const to::Pass& pass, std::size_t number_of_pods) {
  Json facts;
  Json& conditions = facts["conditions"] = Json::array();
  Json& types = facts["conditionTypes"] = Json::array();
  std::vector<Json> holding;
  for (const auto& condition : pass.status.conditions()) {
    conditions.push_back(ConditionFact(MessageJson(condition)));
    types.push_back(condition.type());
    if (condition.status() == to::kTrue) holding.emplace_back(condition.type());
  }
  facts["conditionTrue"] =
      holding.empty() ? Json() : Described(std::move(holding));
  facts["replicaStatuses"] = Json::object();
  for (const auto& [type, counts] : pass.status.replica_statuses()) {
    const Json json = {{"active", counts.active()},
                       {"succeeded", counts.succeeded()},
                       {"failed", counts.failed()}};
    facts["replicaStatuses"][type] = json;
    facts["replicaStatuses." + type] = json;
    for (const auto& [name, number] : json.items()) {
      facts["replicaStatuses." + type + "." + name] = number;
    }
  }
  const std::size_t left = number_of_pods - pass.deleted.size();
  // A pod's service goes with it.
  for (const char* const name : {"podsRemaining", "pods", "services"}) {
    facts[name] = left;
  }
  facts["runningConditionNotTrue"] =
      !to::IsConditionTrue(pass.status, to::kRunning);
  facts["finished"] = to::IsFinished(pass.status);
  return facts;
}

absl::Status ReadRunPolicy(const Json& input, to::RunPolicy& policy) {
  absl::Status filled =
      FillFrom(MemberOrNull(input, "runPolicy"), "runPolicy", policy);
  if (!filled.ok()) return filled;
  const Json update = MemberOrNull(MemberOrNull(input, "event"), "specUpdate");
  if (update.is_null()) return absl::OkStatus();
  constexpr std::string_view kPrefix = "runPolicy.";
  Json changes = Json::object();
  for (const auto& [path, value] : update.items()) {
    if (path == "runPolicy") {
      changes.update(value);
    } else if (path.starts_with(kPrefix)) {
      changes[path.substr(kPrefix.size())] = value;
    } else {
      return NotUnderstood("event.specUpdate." + path, value);
    }
  }
  return FillFrom(changes, "event.specUpdate", policy);
}

absl::Status ReadStatus(const Json& input, to::JobStatus& status) {
  Json json =
      MemberOrNull(input, input.contains("status") ? "status" : "statusBefore");
  if (json.is_null()) return absl::OkStatus();
  auto conditions = ConditionObjects(MemberOrNull(json, "conditions"));
  if (!conditions.ok()) return conditions.status();
  json["conditions"] = *std::move(conditions);
  return FillFrom(json, "status", status);
}

}  // namespace mulligan::conformance
