// Cases of training-operator v1 that give counts of pods.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/training_operator.h"
#include "client/conformance/training_operator_input.h"
#include "policy/native/training_operator_conditions.h"
#include "policy/native/training_operator_limits.h"

namespace mulligan::conformance {
namespace {

namespace to = training_operator;

constexpr std::int32_t kRetryableCode = 130;

int CountIn(const Json& counts, std::string_view name) {
  const Json count = MemberOrNull(counts, name);
  return count.is_number_integer() ? count.get<int>() : 0;
}

bool IsTrue(const Json& object, std::string_view name) {
  return MemberOrNull(object, name) == Json(true);
}

// Pods as the peer's tests number them: those that succeeded first, then those
// that failed, then those that run.
void AddCountedPods(const std::string& type, const Json& counts,
                    bool first_exits_zero,
                    std::optional<std::int32_t> failed_code,
                    TrainingScene& scene) {
  for (int i = 0; i < CountIn(counts, "succeeded"); ++i) {
    const bool zero = first_exits_zero && i == 0;
    scene.AddPod(type, to::kPodSucceeded,
                 zero ? std::optional(0) : std::nullopt);
  }
  for (int i = 0; i < CountIn(counts, "failed"); ++i) {
    scene.AddPod(type, to::kPodFailed, failed_code);
  }
  for (int i = 0; i < CountIn(counts, "active"); ++i) {
    scene.AddPod(type, to::kPodRunning, std::nullopt);
  }
}

absl::StatusOr<Answer> Worker0Answer(const CaseInput& input) {
  TrainingScene scene(input);
  const Json replicas = MemberOrNull(input.input, "replicas");
  for (const auto& [type, number] : replicas.items()) {
    scene.Replica(type).set_replicas(number.get<std::int32_t>());
  }
  AddCountedPods("Worker", MemberOrNull(input.input, "workers"), true,
                 std::nullopt, scene);
  return Answer::Facts({{"worker0Completed", scene.IsWorker0Completed()}});
}

bool RestartsIn(const Json& json) {
  return IsTrue(json, "restart") || IsTrue(json, "restarting") ||
         IsTrue(json, "jobRestarting") ||
         TextOf(json, "restartPolicy") == to::kExitCode;
}

// Whether the case's failed pods ended with a code the operator restarts.
bool IsRestarting(const Json& input) {
  return RestartsIn(input) || RestartsIn(MemberOrNull(input, "spec"));
}

// Pods by the counts in input.replicas; types the job does not have are passed
// over.
void ReadCounts(const Json& input, TrainingScene& scene) {
  const bool restarting = IsRestarting(input);
  const bool worker0 = IsTrue(input, "worker0ExitedZero");
  const auto wanted = to::ReplicasOf(scene.job(), scene.kind());
  const Json replicas = MemberOrNull(input, "replicas");
  for (const auto& [type, counts] : replicas.items()) {
    if (wanted.count(type) == 0) continue;
    if (restarting) {
      scene.Replica(type).set_restart_policy(std::string(to::kExitCode));
    }
    std::optional<std::int32_t> code;
    if (restarting) code = kRetryableCode;
    for (const Json& given :
         {MemberOrNull(input, "exitCode"), MemberOrNull(counts, "exitCode")}) {
      if (given.is_number_integer()) code = given.get<std::int32_t>();
    }
    AddCountedPods(type, counts, type == "Worker" && worker0, code, scene);
  }
}

constexpr std::array<std::string_view, 5> kUpdateLists = {
    "updates", "sequence", "conditions", "conditionsSet", "conditionUpdates"};
constexpr std::array<std::string_view, 3> kUpdates = {
    "condition", "newCondition", "setCondition"};

// Conditions set one after the other: of a list, or of an event.
Json UpdatesIn(const Json& input) {
  for (const Json& holder : {input, MemberOrNull(input, "event")}) {
    for (const std::string_view member : kUpdateLists) {
      const Json list = MemberOrNull(holder, member);
      if (list.is_array()) return list;
    }
    for (const std::string_view member : kUpdates) {
      const Json one = MemberOrNull(holder, member);
      if (!one.is_null()) return Json::array({one});
    }
  }
  return Json();
}

absl::StatusOr<Answer> UpdatesAnswer(const Json& updates,
                                     const TrainingScene& scene,
                                     to::JobStatus status) {
  const auto conditions = ConditionObjects(updates);
  if (!conditions.ok()) return conditions.status();
  Json history = Json::array();
  for (const Json& update : *conditions) {
    const std::string type = TextOf(update, "type");
    const std::string value = TextOf(update, "status");
    std::string reason = TextOf(update, "reason");
    if (reason.empty()) reason = to::Reason(scene.kind(), type);
    to::SetCondition({type, value.empty() ? to::kTrue : value,
                      std::move(reason), TextOf(update, "message")},
                     TrainerNow(), status);
    Json types = Json::array();
    for (const auto& there : status.conditions()) types.push_back(there.type());
    history.push_back(std::move(types));
  }
  to::Pass pass;
  pass.status = std::move(status);
  Json facts = TrainingPassFacts(pass, 0);
  facts["afterEach"] = facts["history"] = std::move(history);
  return Answer::Facts(std::move(facts));
}

// Running pods by type, with the restarts of each.
absl::Status ReadRunning(const Json& input, TrainingScene& scene) {
  const Json policies = MemberOrNull(input, "restartPolicy");
  const Json restarts = MemberOrNull(input, "restartCounts");
  const Json running = MemberOrNull(input, "running");
  for (const auto& [type, number] : running.items()) {
    auto& replica = scene.Replica(type);
    const int pods = number.get<int>();
    replica.set_replicas(pods);
    replica.set_restart_policy(policies.is_string()
                                   ? policies.get<std::string>()
                                   : TextOf(policies, type));
    const Json counts = MemberOrNull(restarts, type);
    for (int i = 0; i < pods; ++i) {
      to::Pod& pod = scene.AddPod(type, to::kPodRunning, std::nullopt);
      const auto index = static_cast<std::size_t>(i);
      if (!counts.is_array() || index >= counts.size()) continue;
      pod.mutable_status()->add_container_statuses()->set_restart_count(
          counts[index].get<std::int32_t>());
    }
  }
  return absl::OkStatus();
}

absl::Status ReadStartTime(const Json& input, to::JobStatus& status) {
  const Json start = MemberOrNull(input, "startTime");
  const Json ago = MemberOrNull(input, "secondsSinceStart");
  if (!ago.is_null()) {
    const auto seconds = SecondsIn(ago, "secondsSinceStart");
    if (!seconds.ok()) return seconds.status();
    *status.mutable_start_time() = TrainerAgo(*seconds);
  } else if (!start.is_null()) {
    const auto time = TrainerTime(start, "startTime");
    if (!time.ok()) return time.status();
    *status.mutable_start_time() = *time;
  }
  return absl::OkStatus();
}

// A condition of the job that stands alone.
absl::Status ReadConditionBefore(const Json& input,
                                 training_operator::JobStatus& status) {
  for (const char* const member : {"conditionBefore", "jobCondition"}) {
    const Json before = MemberOrNull(input, member);
    if (before.is_null()) continue;
    const auto conditions = ConditionObjects(Json::array({before}));
    if (!conditions.ok()) return conditions.status();
    const absl::Status read =
        ReadStatus({{"statusBefore", {{"conditions", *conditions}}}}, status);
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Answer> TrainingSuccessAnswer(const CaseInput& input) {
  // Numbers of replicas beside the pods of the workers, or counts of pods.
  const Json replicas = MemberOrNull(input.input, "replicas");
  const bool numbers =
      replicas.is_object() && !replicas.empty() &&
      std::all_of(replicas.begin(), replicas.end(),
                  [](const Json& count) { return count.is_number_integer(); });
  if (!input.input.contains("workers") && !numbers) {
    return TrainingPassAnswer(input);
  }
  absl::Status known = CheckOnlyMembers(
      input.input, "input", {"kind", "level", "replicas", "workers"});
  if (!known.ok()) return known;
  return Worker0Answer(input);
}

absl::StatusOr<Answer> TrainingPassAnswer(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(input.input, "input",
                                        {"kind",
                                         "level",
                                         "spec",
                                         "runPolicy",
                                         "replicaSpec",
                                         "replicas",
                                         "worker0ExitedZero",
                                         "restart",
                                         "restarting",
                                         "restartPolicy",
                                         "exitCode",
                                         "statusBefore",
                                         "event",
                                         "updates",
                                         "sequence",
                                         "conditions",
                                         "conditionsSet",
                                         "conditionUpdates",
                                         "condition",
                                         "newCondition",
                                         "setCondition",
                                         "conditionBefore",
                                         "jobCondition",
                                         "jobRestarting"});
  if (!known.ok()) return known;
  TrainingScene scene(input);
  absl::Status read = ReadSpec(input.input, scene);
  if (!read.ok()) return read;
  read = ReadStatus(input.input, *scene.job().mutable_status());
  if (!read.ok()) return read;
  read = ReadConditionBefore(input.input, *scene.job().mutable_status());
  if (!read.ok()) return read;
  const Json updates = UpdatesIn(input.input);
  if (!updates.is_null()) {
    return UpdatesAnswer(updates, scene, scene.job().status());
  }
  if (input.input.contains("replicaSpec")) {
    read = FillFrom(input.input["replicaSpec"], "replicaSpec",
                    scene.Replica("Worker"));
    if (!read.ok()) return read;
  }
  read = ReadRunPolicy(input.input,
                       *scene.job().mutable_spec()->mutable_run_policy());
  if (!read.ok()) return read;
  read = ReadEventPods(input.input, {"specUpdate"}, scene);
  if (!read.ok()) return read;
  ReadCounts(input.input, scene);
  Json facts = TrainingPassFacts(scene.Reconcile(), scene.NumberOfPods());
  // The peer's test looks for a condition of that type among all; beside a
  // chief the success policy names it.
  facts["conditionType"] = scene.SuccessPolicyCondition();
  facts["worker0Completed"] = scene.IsWorker0Completed();
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainingLimitAnswer(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"kind", "level", "runPolicy", "running", "restartPolicy",
       "restartCounts", "pods", "startTime", "secondsSinceStart", "requeues"});
  if (!known.ok()) return known;
  TrainingScene scene(input);
  auto& policy = *scene.job().mutable_spec()->mutable_run_policy();
  absl::Status read = ReadRunPolicy(input.input, policy);
  if (!read.ok()) return read;
  read = ReadStartTime(input.input, *scene.job().mutable_status());
  if (!read.ok()) return read;
  const Json pods = MemberOrNull(input.input, "pods");
  if (!pods.is_null()) {
    scene.Replica("Worker").set_restart_policy(
        TextOf(input.input, "restartPolicy"));
    read = AddPodsFrom(pods, "Worker", scene);
  } else {
    read = ReadRunning(input.input, scene);
  }
  if (!read.ok()) return read;
  scene.version().requeues = CountIn(input.input, "requeues");
  const std::int64_t restarts = scene.CountedRestarts();
  const to::JobStatus before = scene.job().status();
  Json facts = TrainingPassFacts(scene.Reconcile(), scene.NumberOfPods());
  facts["pastBackoffLimit"] = to::PastBackoffLimit(policy, restarts);
  facts["pastActiveDeadline"] =
      to::PastActiveDeadline(policy, before, TrainerNow());
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainingCleanUpAnswer(const CaseInput& input) {
  const Json pods = MemberOrNull(input.input, "pods");
  if (pods.is_null()) return Answer::Outside("clean-up");
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "runPolicy", "jobCondition", "pods"});
  if (!known.ok()) return Answer::Outside("clean-up");
  TrainingScene scene(input);
  absl::Status read = ReadRunPolicy(
      input.input, *scene.job().mutable_spec()->mutable_run_policy());
  if (!read.ok()) return read;
  auto& condition = *scene.job().mutable_status()->add_conditions();
  condition.set_type(TextOf(input.input, "jobCondition"));
  condition.set_status(std::string(to::kTrue));
  if (condition.type() == to::kSuspended) {
    scene.job().mutable_spec()->mutable_run_policy()->set_suspend(true);
  }
  if (pods.is_object()) {
    AddCountedPods("Worker",
                   {{"active", CountIn(pods, "running")},
                    {"succeeded", CountIn(pods, "succeeded")},
                    {"failed", CountIn(pods, "failed")}},
                   false, std::nullopt, scene);
  } else {
    // "runningPod", "succeededPod".
    for (const Json& name : pods) {
      std::string phase = name.get<std::string>();
      phase = phase.substr(0, phase.find("Pod"));
      if (!phase.empty())
        phase[0] = absl::ascii_toupper(static_cast<unsigned char>(phase[0]));
      scene.AddPod("Worker", phase, std::nullopt)
          .mutable_metadata()
          ->set_name(name.get<std::string>());
    }
  }
  const to::Pass pass = scene.Reconcile();
  Json facts = TrainingPassFacts(pass, scene.NumberOfPods());
  if (!pods.is_array()) return Answer::Facts(std::move(facts));
  Json& left = facts["podsLeft"] = Json::array();
  for (const Json& name : pods) {
    bool deleted = false;
    for (const to::Pod* const pod : pass.deleted) {
      deleted |= Json(pod->metadata().name()) == name;
    }
    if (!deleted) left.push_back(name);
  }
  facts["servicesLeft"] = left;
  return Answer::Facts(std::move(facts));
}

}  // namespace mulligan::conformance
