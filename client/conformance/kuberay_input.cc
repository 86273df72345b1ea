#include "client/conformance/kuberay_input.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/conformance/protos.h"
#include "google/protobuf/util/time_util.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

using kuberay::RayJob;
using kubernetes_job::TimestampOf;

constexpr std::int64_t kNowSeconds = 1767268800;  // 2026-01-01T12:00:00Z

// Gates of the peer that bear on nothing here.
constexpr std::array<std::string_view, 6> kOtherGates = {
    "RayClusterStatusConditions",
    "RayServiceIncrementalUpgrade",
    "RayMultiHostIndexing",
    "RayClusterNetworkPolicy",
    "RayClusterMTLS",
    "RayClusterHistoryServer"};

struct Unit {
  std::string_view name;
  absl::Duration length;
};

const std::array<Unit, 9>& Units() {
  static const std::array<Unit, 9> units = {{{"s", absl::Seconds(1)},
                                             {"second", absl::Seconds(1)},
                                             {"seconds", absl::Seconds(1)},
                                             {"m", absl::Minutes(1)},
                                             {"minute", absl::Minutes(1)},
                                             {"minutes", absl::Minutes(1)},
                                             {"h", absl::Hours(1)},
                                             {"hour", absl::Hours(1)},
                                             {"hours", absl::Hours(1)}}};
  return units;
}

// A pod template from {"containers": 1, "restartPolicy": "Always"}.
Json FullGroup(Json group) {
  Json spec = MemberOf(MemberOf(group, "template"), "spec");
  if (!spec.is_object()) spec = Json::object();
  const Json containers = MemberOf(group, "containers");
  if (containers.is_number_integer()) {
    Json list = Json::array();
    for (std::int64_t i = 0; i < containers.get<std::int64_t>(); ++i) {
      list.push_back({{"name", "ray"}});
    }
    spec["containers"] = list;
  } else if (containers.is_array()) {
    spec["containers"] = containers;
  }
  if (group.contains("restartPolicy")) {
    spec["restartPolicy"] = group["restartPolicy"];
  }
  group.erase("containers");
  group.erase("restartPolicy");
  group["template"]["spec"] = spec;
  return group;
}

Json FullCluster(Json cluster) {
  if (MemberOf(cluster, "headGroupSpec").is_object()) {
    cluster["headGroupSpec"] = FullGroup(cluster["headGroupSpec"]);
  }
  if (MemberOf(cluster, "workerGroupSpecs").is_array()) {
    for (Json& group : cluster["workerGroupSpecs"]) group = FullGroup(group);
  }
  return cluster;
}

absl::Status SetEnvironment(const Json& environment,
                            kuberay::Settings& settings) {
  if (environment.is_null()) return absl::OkStatus();
  for (const auto& [name, value] : environment.items()) {
    if (!value.is_null() && !value.is_string()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("operatorEnv.%s: a text or null is expected", name));
    }
    kuberay::Settings ignored;
    if (!kuberay::SetEnvironment(
            name, value.is_null() ? "" : value.get<std::string>(),
            value.is_null() ? ignored : settings)) {
      return absl::UnimplementedError(
          absl::StrFormat("operatorEnv.%s: not understood", name));
    }
  }
  return absl::OkStatus();
}

absl::Status SetGates(const Json& gates, kuberay::Settings& settings) {
  if (gates.is_null()) return absl::OkStatus();
  for (const auto& [name, enabled] : gates.items()) {
    if (!enabled.is_boolean()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("featureGates.%s: true or false is expected", name));
    }
    const bool known = kuberay::SetGate(name, enabled.get<bool>(), settings) ||
                       std::find(kOtherGates.begin(), kOtherGates.end(),
                                 name) != kOtherGates.end();
    if (!known) {
      return absl::UnimplementedError(
          absl::StrFormat("featureGates.%s: not understood", name));
    }
  }
  return absl::OkStatus();
}

// Protobuf's JSON parser replaces what a message had.
template <typename Message>
absl::Status MergeFrom(const Json& json, std::string_view what,
                       Message& message) {
  const auto parsed = MessageFrom<Message>(json, what);
  if (!parsed.ok()) return parsed.status();
  message.MergeFrom(*parsed);
  return absl::OkStatus();
}

}  // namespace

absl::Time KubeRayNow() { return absl::FromUnixSeconds(kNowSeconds); }

std::vector<Json> UnsetWords() {
  return {nullptr, "", "unset", "not set", "nil", "none", "empty", "cleared"};
}

bool IsUnsetWord(const Json& json, std::string_view another) {
  const std::vector<Json> words = UnsetWords();
  return json.is_string() &&
         (json == std::string(another) ||
          std::find(words.begin(), words.end(), json) != words.end());
}

Json MemberOf(const Json& object, std::string_view name) {
  if (!object.is_object()) return Json();
  const auto found = object.find(std::string(name));
  return found == object.end() ? Json() : *found;
}

absl::StatusOr<std::string> TextOrEmpty(const Json& json,
                                        std::string_view what) {
  if (json.is_null()) return std::string();
  if (json.is_string()) return json.get<std::string>();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: a text is expected, got %s", what, json.dump()));
}

bool IsUnit(const CaseInput& input) {
  return MemberOf(input.input, "level") == "unit";
}

bool IsEndToEnd(const CaseInput& input) {
  return MemberOf(input.input, "level") == "e2e";
}

bool IsPassOfSuspended(const CaseInput& input) {
  const Json status = MemberOf(input.input, "statusBefore");
  if (MemberOf(status, "jobDeploymentStatus") != kuberay::kSuspended) {
    return false;
  }
  const Json event = MemberOf(input.input, "event");
  return event.is_null() || (event.size() == 1 && event.contains("what"));
}

absl::StatusOr<kuberay::Settings> KubeRaySettings(const CaseInput& input) {
  kuberay::Settings settings;
  for (const Json& gates :
       {input.feature_gates, MemberOf(input.input, "featureGates")}) {
    absl::Status set = SetGates(gates, settings);
    if (!set.ok()) return set;
  }
  absl::Status set =
      SetEnvironment(MemberOf(input.input, "operatorEnv"), settings);
  if (!set.ok()) return set;
  return settings;
}

absl::StatusOr<google::protobuf::Timestamp> CaseTime(const Json& json,
                                                     std::string_view what) {
  if (json == "now" || json == "just now" || json == "set") {
    return TimestampOf(KubeRayNow());
  }
  static const RE2& ago = *new RE2("(?:more than )?(\\d+) ?([a-z]+) ago");
  std::int64_t number = 0;
  std::string unit;
  if (json.is_string() &&
      RE2::FullMatch(json.get<std::string>(), ago, &number, &unit)) {
    for (const Unit& known : Units()) {
      if (known.name == unit) {
        return TimestampOf(KubeRayNow() - number * known.length);
      }
    }
  }
  return TimestampFrom(json, what);
}

Json Nested(const Json& flat) {
  if (!flat.is_object()) return flat;
  Json nested = Json::object();
  for (const auto& [name, value] : flat.items()) {
    Json* at = &nested;
    const std::vector<std::string> parts = absl::StrSplit(name, '.');
    for (const std::string& part : parts) {
      if (at->is_null()) *at = Json::object();
      at = &(*at)[part];
    }
    *at = value;
  }
  return nested;
}

absl::Status MergeSpec(const Json& spec, RayJob& job) {
  if (spec.is_null()) return absl::OkStatus();
  if (!spec.is_object()) {
    return absl::InvalidArgumentError("spec: an object is expected");
  }
  absl::Status known = CheckOnlyMembers(spec, "spec",
                                        {"activeDeadlineSeconds",
                                         "preRunningDeadlineSeconds",
                                         "backoffLimit",
                                         "rayClusterSpec",
                                         "submitterPodTemplate",
                                         "submitterConfig",
                                         "clusterSelector",
                                         "managedBy",
                                         "deletionStrategy",
                                         "entrypoint",
                                         "runtimeEnvYAML",
                                         "jobId",
                                         "submissionMode",
                                         "ttlSecondsAfterFinished",
                                         "shutdownAfterJobFinishes",
                                         "suspend",
                                         "metadata",
                                         "entrypointNumCpus",
                                         "entrypointNumGpus",
                                         "entrypointResources"});
  if (!known.ok()) return known;
  Json full = spec;
  if (MemberOf(full, "rayClusterSpec").is_object()) {
    full["rayClusterSpec"] = FullCluster(full["rayClusterSpec"]);
  }
  // Null and an empty object are different answers to "is it set?".
  for (const char* const name : {"metadata", "entrypointResources"}) {
    full.erase(name);
  }
  return MergeFrom(full, "spec", *job.mutable_spec());
}

absl::Status MergeStatus(const Json& status, RayJob& job) {
  if (status.is_null()) return absl::OkStatus();
  absl::Status known = CheckOnlyMembers(
      status, "status",
      {"rayJobInfo", "jobId", "rayClusterName", "dashboardURL", "jobStatus",
       "jobDeploymentStatus", "reason", "message", "startTime", "endTime",
       "succeeded", "failed", "rayClusterStatus", "observedGeneration",
       "jobStatusCheckFailureStartTime"});
  if (!known.ok()) return known;
  Json full = status;
  for (const char* const name :
       {"startTime", "endTime", "jobStatusCheckFailureStartTime"}) {
    const Json time = MemberOf(full, name);
    if (time.is_null() || IsUnsetWord(time)) {
      full.erase(name);
      continue;
    }
    const auto parsed = CaseTime(time, name);
    if (!parsed.ok()) return parsed.status();
    full[name] = TimestampJson(*parsed);
  }
  if (MemberOf(full, "rayJobInfo").is_object()) {
    for (const char* const name : {"startTime", "endTime"}) {
      if (MemberOf(full["rayJobInfo"], name).is_null()) continue;
      const auto parsed = CaseTime(full["rayJobInfo"][name], name);
      if (!parsed.ok()) return parsed.status();
      full["rayJobInfo"][name] = TimestampJson(*parsed);
    }
  }
  // A status of the cluster in one word: that it has one.
  if (const Json cluster = MemberOf(full, "rayClusterStatus");
      cluster == "changed" || cluster == "set" || cluster == "updated") {
    full["rayClusterStatus"] = {{"maxWorkerReplicas", 1}};
  }
  if (IsUnsetWord(MemberOf(full, "jobDeploymentStatus"), "New")) {
    full["jobDeploymentStatus"] = "";
  }
  if (IsUnsetWord(MemberOf(full, "jobStatus"), "New")) full["jobStatus"] = "";
  return MergeFrom(full, "status", *job.mutable_status());
}

absl::StatusOr<RayJob> RayJobFrom(const Json& input,
                                  std::string_view status_member) {
  constexpr std::size_t kMaxNameLength = 1000;
  RayJob job;
  const Json metadata = MemberOf(input, "metadata");
  const Json length = MemberOf(metadata, "nameLength");
  job.mutable_metadata()->set_name("rayjob");
  job.mutable_metadata()->set_namespace_("default");
  if (metadata.is_object()) {
    Json full = metadata;
    full.erase("nameLength");
    absl::Status filled = MergeFrom(full, "metadata", *job.mutable_metadata());
    if (!filled.ok()) return filled;
  }
  if (length.is_number_unsigned() &&
      length.get<std::size_t>() <= kMaxNameLength) {
    job.mutable_metadata()->set_name(
        std::string(length.get<std::size_t>(), 'n'));
  }
  absl::Status merged = MergeSpec(MemberOf(input, "spec"), job);
  if (!merged.ok()) return merged;
  merged = MergeStatus(MemberOf(input, status_member), job);
  if (!merged.ok()) return merged;
  return job;
}

}  // namespace mulligan::conformance
