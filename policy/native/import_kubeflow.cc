// spec of a job of training-operator v1.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/native/import.h"

namespace mulligan {
namespace {

using kubernetes::kubeflow::v1::ReplicaSpec;
using kubernetes::kubeflow::v1::TrainingJobSpec;
using Replicas = google::protobuf::Map<std::string, ReplicaSpec>;

constexpr char kBackoffLimit[] = "backoff-limit";
// First exit code that ExitCode takes for the platform's fault.
constexpr int kFirstRetryableCode = 128;

// Strictest first: where types of replicas differ, the strictest counts.
constexpr std::string_view kRestartPolicies[] = {"Never", "ExitCode",
                                                 "OnFailure", "Always"};

struct KindRow {
  const char* field;
  const Replicas& (TrainingJobSpec::*replicas)() const;
  std::string_view default_restart_policy;
};
constexpr KindRow kKinds[] = {
    {"pytorchReplicaSpecs", &TrainingJobSpec::pytorch_replica_specs,
     "OnFailure"},
    {"tfReplicaSpecs", &TrainingJobSpec::tf_replica_specs, "Never"},
    {"mpiReplicaSpecs", &TrainingJobSpec::mpi_replica_specs, "Never"},
    {"xgbReplicaSpecs", &TrainingJobSpec::xgb_replica_specs, "Never"},
    {"paddleReplicaSpecs", &TrainingJobSpec::paddle_replica_specs, "OnFailure"},
    {"jaxReplicaSpecs", &TrainingJobSpec::jax_replica_specs, "Never"},
};

struct RestartPolicy {
  std::string name;
  std::string path;
};

// Of every type of replicas, in the order of their names.
std::vector<RestartPolicy> RestartPolicies(const TrainingJobSpec& spec,
                                           const std::string& path) {
  std::vector<RestartPolicy> policies;
  for (const KindRow& kind : kKinds) {
    std::map<std::string, const ReplicaSpec*> types;
    for (const auto& [type, replicas] : (spec.*kind.replicas)()) {
      types.emplace(type, &replicas);
    }
    for (const auto& [type, replicas] : types) {
      const std::string place =
          absl::StrFormat("%s.%s[%s]", path, kind.field, type);
      policies.push_back(
          replicas->restart_policy().empty()
              ? RestartPolicy{std::string(kind.default_restart_policy), place}
              : RestartPolicy{replicas->restart_policy(),
                              place + ".restartPolicy"});
    }
  }
  return policies;
}

std::ptrdiff_t Rank(const RestartPolicy& policy) {
  return std::find(std::begin(kRestartPolicies), std::end(kRestartPolicies),
                   policy.name) -
         std::begin(kRestartPolicies);
}

// The policy to go by; nothing when there is none that can be understood.
const RestartPolicy* ChooseRestartPolicy(
    const std::vector<RestartPolicy>& policies, const std::string& path,
    IssueReporter& report) {
  if (policies.empty()) {
    report.Error(path,
                 "no replicas are given, expected pytorchReplicaSpecs or those "
                 "of another kind: their restartPolicy decides");
    return nullptr;
  }
  const std::vector<std::string_view> names(std::begin(kRestartPolicies),
                                            std::end(kRestartPolicies));
  bool known = true;
  for (const RestartPolicy& policy : policies) {
    if (Rank(policy) < std::ssize(kRestartPolicies)) continue;
    ReportRefusals({NotSupportedError(policy.path, policy.name, names)},
                   report);
    known = false;
  }
  if (!known) return nullptr;
  const auto strictest = std::min_element(
      policies.begin(), policies.end(),
      [](const auto& a, const auto& b) { return Rank(a) < Rank(b); });
  for (const RestartPolicy& policy : policies) {
    if (policy.name == strictest->name) continue;
    NotCarriedOver(policy.path,
                   absl::StrFormat("rules do not tell types of replicas apart; "
                                   "the strictest policy, %s, is taken",
                                   strictest->name),
                   report);
  }
  return &*strictest;
}

void WarnOfTheRest(const TrainingJobSpec& spec, const std::string& path,
                   IssueReporter& report) {
  if (spec.run_policy().has_active_deadline_seconds()) {
    NotCarriedOver(path + ".runPolicy.activeDeadlineSeconds",
                   "a policy has no deadline; the operator keeps that of the "
                   "job",
                   report);
  }
  if (spec.elastic_policy().has_max_restarts()) {
    NotCarriedOver(path + ".elasticPolicy.maxRestarts",
                   "the launcher inside the pods restarts before anybody is "
                   "asked",
                   report);
  }
}

void AddPermanentCodes(const std::string& path, Import& into) {
  v1::Rule rule;
  rule.set_name("exit-code-permanent");
  v1::ExitCodes& codes = *rule.mutable_when()->mutable_exit_codes();
  codes.set_operator_("In");
  for (int code = 1; code < kFirstRetryableCode; ++code) {
    codes.add_values(code);
  }
  *rule.mutable_then() = FailOutcome(v1::JOB);
  into.rules.push_back({std::move(rule), path});
}

void AddLimit(const TrainingJobSpec& spec, const std::string& path,
              Import& into, IssueReporter& report) {
  const std::string limit_path = path + ".runPolicy.backoffLimit";
  if (!spec.run_policy().has_backoff_limit()) {
    AddUnboundedBudget(kBackoffLimit, v1::JOB, path,
                       "without backoffLimit the operator restarts pods", into,
                       report);
    return;
  }
  const std::int64_t limit = spec.run_policy().backoff_limit();
  FieldErrors refusals;
  CheckNonNegative(limit_path, limit, refusals);
  ReportRefusals(refusals, report);
  // The job fails when the restarts reach the limit.
  AddImportedBudget(kBackoffLimit, std::max<std::int64_t>(limit - 1, 0),
                    v1::JOB, limit_path, into, report);
}

}  // namespace

void ImportKubeflowJob(const v1::NativePolicy& native, const std::string& path,
                       Import& into, IssueReporter& report) {
  const TrainingJobSpec& spec = native.kubeflow_job();
  WarnOfTheRest(spec, path, report);
  into.fallback = FailOutcome(v1::JOB);
  into.fallback_path = path;
  const std::vector<RestartPolicy> policies = RestartPolicies(spec, path);
  const RestartPolicy* const policy =
      ChooseRestartPolicy(policies, path, report);
  if (policy == nullptr || policy->name == "Never") return;
  if (policy->name == "ExitCode") AddPermanentCodes(policy->path, into);
  AddLimit(spec, path, into, report);
  into.fallback = RetryOutcome(v1::POD, kBackoffLimit);
  into.fallback_path = policy->path;
}

}  // namespace mulligan
