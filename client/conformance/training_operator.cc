#include "client/conformance/training_operator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "client/conformance/compare.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/training_operator_input.h"
#include "policy/native/training_operator_conditions.h"
#include "policy/native/training_operator_exit_codes.h"
#include "policy/native/training_operator_kinds.h"
#include "policy/native/training_operator_reconcile.h"

namespace mulligan::conformance {
namespace {

namespace to = training_operator;

to::ExitCodeTable TableOf(const CaseInput& input) {
  return EraOf(input) == TrainerEra::kTfOperator
             ? to::ExitCodeTable::kTf2018
             : to::ExitCodeTable::kAtLeast128;
}

absl::StatusOr<Answer> PodExitAnswer(const CaseInput& input) {
  TrainingScene scene(input);
  absl::Status read = FillFrom(MemberOrNull(input.input, "replicaSpec"),
                               "replicaSpec", scene.Replica("Worker"));
  if (!read.ok()) return read;
  read = ReadEventPods(input.input, {}, scene);
  if (!read.ok()) return read;
  const to::Pass pass = scene.Reconcile();
  Json facts = TrainingPassFacts(pass, scene.NumberOfPods());
  facts["pod"] = pass.restarted.empty() ? "kept" : "deleted (to be recreated)";
  facts["restarted"] = !pass.restarted.empty();
  return Answer::Facts(std::move(facts));
}

// Before a resume: a job that ran and was suspended.
void SuspendBefore(TrainingScene& scene) {
  to::JobStatus& status = *scene.job().mutable_status();
  to::SetCreated(scene.job(), scene.kind(), TrainerNow(), status);
  to::SetCondition(
      {to::kRunning, to::kTrue, to::Reason(scene.kind(), to::kRunning), ""},
      TrainerNow(), status);
  *status.mutable_start_time() = TrainerAgo(absl::Hours(1));
  scene.job().mutable_spec()->mutable_run_policy()->set_suspend(true);
  status = scene.Reconcile().status;
  scene.job().mutable_spec()->mutable_run_policy()->set_suspend(false);
}

std::string LeaderOf(to::Framework framework) {
  switch (framework) {
    case to::Framework::kMpi:
      return "Launcher";
    case to::Framework::kTensorFlow:
    case to::Framework::kJax:
      return "Worker";
    default:
      return "Master";
  }
}

Json StartTimeFact(const to::JobStatus& before, const to::JobStatus& after) {
  if (!after.has_start_time()) return Json();
  if (before.has_start_time() &&
      TimestampJson(before.start_time()) == TimestampJson(after.start_time())) {
    return "unchanged";
  }
  return before.has_start_time() ? "reset (later than before)" : "set";
}

absl::StatusOr<Answer> SuspendSceneAnswer(const CaseInput& input) {
  TrainingScene scene(input);
  const std::string leader = LeaderOf(scene.kind().framework);
  scene.Replica(leader);
  to::RunPolicy policy;
  absl::Status read = ReadRunPolicy(input.input, policy);
  if (!read.ok()) return read;
  const bool updated =
      MemberOrNull(input.input, "event").contains("specUpdate");
  to::JobStatus& status = *scene.job().mutable_status();
  if (input.input.contains("statusBefore")) {
    read = ReadStatus(input.input, status);
    if (!read.ok()) return read;
    if (!status.has_start_time()) {
      *status.mutable_start_time() = TrainerAgo(absl::Hours(1));
    }
  } else if (updated && !policy.suspend()) {
    SuspendBefore(scene);
  } else {
    to::SetCreated(scene.job(), scene.kind(), TrainerNow(), status);
  }
  *scene.job().mutable_spec()->mutable_run_policy() = policy;
  // A job that was created suspended has no pods.
  if (updated) scene.AddPod(leader, to::kPodRunning, std::nullopt);
  const to::JobStatus before = status;
  const to::Pass pass = scene.Reconcile();
  Json facts = TrainingPassFacts(pass, scene.NumberOfPods());
  facts["startTime"] = StartTimeFact(before, pass.status);
  return Answer::Facts(std::move(facts));
}

}  // namespace

absl::StatusOr<Answer> TrainingExitCodeAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "exitCode", "replicaSpec", "event",
                        "replica", "restartPolicy"});
  if (!known.ok()) return known;
  if (input.input.contains("event")) return PodExitAnswer(input);
  const Json code = MemberOrNull(input.input, "exitCode");
  std::int32_t exit_code = 0;
  if (code.is_number_integer()) {
    exit_code = code.get<std::int32_t>();
  } else if (!code.is_string() ||
             !absl::SimpleAtoi(code.get<std::string>(), &exit_code)) {
    return NotUnderstood("input.exitCode", code);
  }
  Json facts = {
      {"retryable", to::IsRetryableExitCode(exit_code, TableOf(input))}};
  const std::string policy = TextOf(input.input, "restartPolicy");
  if (!policy.empty()) {
    facts["restarted"] = to::IsRestarted(policy, exit_code, TableOf(input));
  }
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainingRestartPolicyAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input", {"kind", "level", "replicaSpec"});
  if (!known.ok()) return known;
  TrainingScene scene(input);
  absl::Status read = FillFrom(MemberOrNull(input.input, "replicaSpec"),
                               "replicaSpec", scene.Replica("Worker"));
  if (!read.ok()) return read;
  const to::Replicas replicas = to::ReplicasOf(scene.job(), scene.kind());
  return Answer::Facts({{"pod.spec.restartPolicy",
                         to::PodRestartPolicy(replicas.at("Worker"))}});
}

absl::StatusOr<Answer> TrainingSuspendAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "runPolicy", "statusBefore", "event"});
  if (!known.ok()) return known;
  if (TextOf(input.input, "level") != "unit") return SuspendSceneAnswer(input);
  to::RunPolicy policy;
  absl::Status read = ReadRunPolicy(input.input, policy);
  if (!read.ok()) return read;
  return Answer::Facts({{"suspended", policy.suspend()}});
}

absl::StatusOr<Answer> TrainingFinishedAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input", {"kind", "level", "status"});
  if (!known.ok()) return known;
  to::JobStatus status;
  absl::Status read = ReadStatus(input.input, status);
  if (!read.ok()) return read;
  Json facts = {{"finished", to::IsFinished(status)}};
  for (const std::string_view type : {to::kSucceeded, to::kFailed, to::kRunning,
                                      to::kSuspended, to::kRestarting}) {
    facts[absl::AsciiStrToLower(std::string(type))] =
        to::IsConditionTrue(status, type);
  }
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainingManagerAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input", {"kind", "level", "runPolicy"});
  if (!known.ok()) return Answer::Outside("managed-by");
  to::RunPolicy policy;
  absl::Status read = ReadRunPolicy(input.input, policy);
  if (!read.ok()) return read;
  const std::optional<std::string> manager = to::ExternalManager(policy);
  TrainingScene scene(input);
  *scene.job().mutable_spec()->mutable_run_policy() = policy;
  Json facts = TrainingPassFacts(scene.Reconcile(), scene.NumberOfPods());
  facts["externalController"] = manager.has_value() ? Json(*manager) : Json();
  facts["external"] = manager.has_value();
  facts["reconciled"] = !manager.has_value();
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainingElasticAnswer(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(input.input, "input",
                                        {"kind", "level", "elasticPolicy"});
  if (!known.ok()) return known;
  const Json policy = MemberOrNull(input.input, "elasticPolicy");
  to::TrainingJobSpec spec;
  if (!policy.is_null()) {
    absl::Status read =
        FillFrom(policy, "elasticPolicy", *spec.mutable_elastic_policy());
    if (!read.ok()) return read;
  }
  const auto variables = to::ElasticEnvironment(spec);
  return Answer::Facts(
      {{"env", variables.has_value() ? Json(*variables)
                                     : Described({nullptr, Json::object()})}});
}

}  // namespace mulligan::conformance
