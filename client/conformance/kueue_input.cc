#include "client/conformance/kueue_input.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/protos.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::Workload;

constexpr const char* kPodSet = "main";

// Where a member of the short form belongs.
struct Place {
  std::string_view member;
  const char* part;
  const char* name;
};

constexpr std::array<Place, 19> kPlaces = {{
    {"name", "metadata", "name"},
    {"namespace", "metadata", "namespace"},
    {"uid", "metadata", "uid"},
    {"creationTimestamp", "metadata", "creationTimestamp"},
    {"annotations", "metadata", "annotations"},
    {"active", "spec", "active"},
    {"queueName", "spec", "queueName"},
    {"priority", "spec", "priority"},
    {"podSets", "spec", "podSets"},
    {"maximumExecutionTimeSeconds", "spec", "maximumExecutionTimeSeconds"},
    {"conditions", "status", "conditions"},
    {"admission", "status", "admission"},
    {"admissionChecks", "status", "admissionChecks"},
    {"requeueState", "status", "requeueState"},
    {"reclaimablePods", "status", "reclaimablePods"},
    {"schedulingStats", "status", "schedulingStats"},
    {"clusterName", "status", "clusterName"},
    {"nominatedClusterNames", "status", "nominatedClusterNames"},
    {"accumulatedPastExecutionTimeSeconds", "status",
     "accumulatedPastExecutionTimeSeconds"},
}};

const Place* FindPlace(std::string_view member) {
  for (const Place& place : kPlaces) {
    if (place.member == member) return &place;
  }
  return nullptr;
}

Json TrueCondition(const char* type) {
  return {{"type", type}, {"status", "True"}};
}

void AddConditions(std::initializer_list<const char*> types, Json& full) {
  Json& conditions = full["status"]["conditions"];
  if (conditions.is_null()) conditions = Json::array();
  for (const char* const type : types) {
    bool there = false;
    for (const Json& condition : conditions) {
      there |= KueueMember(condition, "type") == Json(type);
    }
    if (!there) conditions.push_back(TrueCondition(type));
  }
}

void AddTopology(const Json& topology, Json& full) {
  full["status"]["admission"]["podSetAssignments"] = {
      {{"name", kPodSet}, {"topologyAssignment", topology}}};
  full["spec"]["podSets"][0]["name"] = kPodSet;
  AddConditions({"QuotaReserved", "Admitted"}, full);
}

// Domains of the lowest of `levels`: host names where no level is told.
void AddAssignment(const Json& values, const Json& levels, Json& full) {
  Json domains = Json::array();
  for (const Json& value : values) {
    domains.push_back({{"values", {value}}, {"count", 1}});
  }
  AddTopology(
      {{"levels", levels.is_null() ? Json({"kubernetes.io/hostname"}) : levels},
       {"domains", domains}},
      full);
}

// Levels under any of their names, one or all of them.
Json LevelsOf(const Json& json) {
  for (const char* const name : {"topologyLevels", "levels", "topologyLevel"}) {
    const Json levels = KueueMember(json, name);
    if (levels.is_string()) return Json::array({levels});
    if (!levels.is_null()) return levels;
  }
  return Json();
}

// Evicted, with the reason and message the files give, if any.
void AddEviction(const Json& evicted, Json& full) {
  if (evicted.is_null() || evicted == Json(false)) return;
  Json condition = TrueCondition("Evicted");
  condition["reason"] = "Evicted";
  if (evicted.is_object()) condition.update(evicted);
  full["status"]["conditions"].push_back(std::move(condition));
}

Json UnhealthyNodes(const Json& list) {
  Json nodes = Json::array();
  for (const Json& entry : list) {
    nodes.push_back(entry.is_string() ? Json{{"name", entry}} : entry);
  }
  return nodes;
}

// Members that are no member of a Workload but stand for several.
bool AddShorthand(const std::string& member, const Json& value,
                  const Json& levels, Json& full) {
  if (member == "assignedNodes" || member == "assignedDomains") {
    AddAssignment(value, levels, full);
  } else if (member == "topologyAssignment") {
    AddTopology(value, full);
  } else if (member == "evicted") {
    AddEviction(value, full);
  } else if (member == "podCount") {
    full["spec"]["podSets"][0]["count"] = value;
  } else if (member == "tolerations") {
    full["spec"]["podSets"][0]["name"] = kPodSet;
    full["spec"]["podSets"][0]["template"]["spec"]["tolerations"] = value;
  } else if (member == "podSetUpdateTolerations") {
    full["status"]["admissionChecks"] = {
        {{"name", "check"},
         {"state", "Ready"},
         {"podSetUpdates", {{{"name", kPodSet}, {"tolerations", value}}}}}};
  } else if (member == "unhealthyNodes") {
    full["status"]["unhealthyNodes"] = UnhealthyNodes(value);
  } else if (member == "admitted") {
    if (value == Json(true)) AddConditions({"QuotaReserved", "Admitted"}, full);
  } else if (member == "quotaReserved") {
    if (value == Json(true)) AddConditions({"QuotaReserved"}, full);
  } else if (member == "finished") {
    if (value == Json(true)) AddConditions({"Finished"}, full);
  } else {
    // Read by the caller: no part of the object.
    return member == "flavorTolerations" || member == "found" ||
           member == "topologyLevels" || member == "levels" ||
           member == "topologyLevel";
  }
  return true;
}

struct NamedDuration {
  const char* name;
  int seconds;
};
constexpr std::array<NamedDuration, 4> kDurationNames = {{
    {"tiny", 1},
    {"short", 5},
    {"medium", 30},
    {"long", 300},
}};

absl::Status ReadDuration(const Json& block, const char* name,
                          std::optional<absl::Duration>& into) {
  const Json value = KueueMember(block, name);
  if (value.is_null()) return absl::OkStatus();
  const auto duration = KueueDuration(value, name);
  if (!duration.ok()) return duration.status();
  into = *duration;
  return absl::OkStatus();
}

template <typename Value>
void Read(const Json& block, const char* name, std::optional<Value>& into) {
  const Json value = KueueMember(block, name);
  if (!value.is_null()) into = value.get<Value>();
}

absl::Status ReadSeconds(const Json& block, const char* name,
                         std::optional<std::int64_t>& into) {
  const Json value = KueueMember(block, name);
  if (value.is_number()) into = value.get<std::int64_t>();
  if (value.is_null() || value.is_number()) return absl::OkStatus();
  const auto duration = KueueDuration(value, name);
  if (!duration.ok()) return duration.status();
  into = absl::ToInt64Seconds(*duration);
  return absl::OkStatus();
}

}  // namespace

Json KueueMember(const Json& object, const char* name) {
  if (!object.is_object()) return Json();
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

absl::StatusOr<absl::Time> KueueNow(const Json& input) {
  const Json now = KueueMember(input, "now");
  const auto time =
      TimestampFrom(now.is_null() ? Json("2026-01-01T12:00:00Z") : now, "now");
  if (!time.ok()) return time.status();
  return ToTime(*time);
}

absl::StatusOr<kueue::Gates> KueueGates(const CaseInput& input) {
  kueue::Gates gates;
  if (input.feature_gates.is_null()) return gates;
  for (const auto& [name, enabled] : input.feature_gates.items()) {
    if (!enabled.is_boolean()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("featureGates.%s: true or false is expected", name));
    }
    kueue::SetGate(name, enabled.get<bool>(), gates);
  }
  return gates;
}

absl::StatusOr<Workload> KueueWorkload(const Json& json) {
  if (json.is_null()) return Workload();
  if (!json.is_object()) {
    return absl::InvalidArgumentError("workload: an object is expected");
  }
  Json full = {{"metadata", Json::object()},
               {"spec", Json::object()},
               {"status", Json::object()}};
  const Json levels = LevelsOf(json);
  for (const auto& [member, value] : json.items()) {
    if (const Place* const place = FindPlace(member)) {
      full[place->part][place->name] = value;
    }
  }
  for (const auto& [member, value] : json.items()) {
    if (FindPlace(member) == nullptr &&
        !AddShorthand(member, value, levels, full)) {
      return absl::UnimplementedError(
          absl::StrFormat("workload.%s: member not understood", member));
    }
  }
  return MessageFrom<Workload>(full, "workload");
}

void CompleteAdmission(Workload& workload) {
  auto& status = *workload.mutable_status();
  if (kueue::IsAdmitted(status) &&
      kueue::FindCondition(status.conditions(), kueue::kQuotaReserved) ==
          nullptr) {
    auto& quota = *status.add_conditions();
    quota.set_type(std::string(kueue::kQuotaReserved));
    quota.set_status("True");
  }
  if (kueue::HasQuotaReservation(status) && !status.has_admission()) {
    status.mutable_admission()->set_cluster_queue("cq");
  }
}

absl::StatusOr<kueue::Conditions> KueueConditions(const Json& list) {
  const auto workload = KueueWorkload({{"conditions", list}});
  if (!workload.ok()) return workload.status();
  return workload->status().conditions();
}

absl::StatusOr<absl::Duration> KueueDuration(const Json& json,
                                             std::string_view what) {
  for (const NamedDuration& named : kDurationNames) {
    if (json == Json(named.name)) return absl::Seconds(named.seconds);
  }
  const auto duration = DurationFrom(json, what);
  if (!duration.ok()) return duration.status();
  return ToDuration(*duration);
}

absl::StatusOr<kueue::WaitForPodsReadyConfig> KueueConfig(const Json& json) {
  kueue::WaitForPodsReadyConfig config;
  if (json.is_null()) return config;
  absl::Status known = CheckOnlyMembers(
      json, "waitForPodsReady",
      {"timeout", "recoveryTimeout", "blockAdmission", "requeuingStrategy",
       "timestamp", "backoffLimitCount", "backoffBaseSeconds",
       "backoffMaxSeconds", "jitter", "enable"});
  if (!known.ok()) return known;
  known = ReadDuration(json, "timeout", config.timeout);
  if (!known.ok()) return known;
  known = ReadDuration(json, "recoveryTimeout", config.recovery_timeout);
  if (!known.ok()) return known;
  Read(json, "blockAdmission", config.block_admission);
  const Json strategy = KueueMember(json, "requeuingStrategy");
  for (const Json& block : {json, strategy}) {
    Read(block, "timestamp", config.timestamp);
    Read(block, "backoffLimitCount", config.backoff_limit_count);
    for (const absl::Status& read :
         {ReadSeconds(block, "backoffBaseSeconds", config.backoff_base_seconds),
          ReadSeconds(block, "backoffMaxSeconds",
                      config.backoff_max_seconds)}) {
      if (!read.ok()) return read;
    }
  }
  return config;
}

absl::StatusOr<std::optional<kueue::WaitForPodsReady>> KueueSettings(
    const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto config = KueueConfig(json);
  if (!config.ok()) return config.status();
  kueue::WaitForPodsReady settings = kueue::Effective(*config);
  if (!config->recovery_timeout.has_value()) settings.recovery_timeout.reset();
  const Json jitter = KueueMember(json, "jitter");
  if (jitter.is_number()) settings.backoff.jitter = jitter.get<double>();
  return settings;
}

absl::StatusOr<std::optional<kueue::Queue>> KueueQueue(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const absl::Status known =
      CheckOnlyMembers(json, "queue",
                       {"name", "stopPolicy", "clusterQueue", "active",
                        "deleting", "missing", "admissionChecks"});
  if (!known.ok()) return known;
  kueue::Queue queue;
  const auto text = [&](const char* name) {
    const Json value = KueueMember(json, name);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  queue.name = text("name");
  queue.stop_policy = text("stopPolicy");
  queue.missing = KueueMember(json, "missing") == Json(true);
  queue.terminating = KueueMember(json, "deleting") == Json(true);
  if (KueueMember(json, "active") == Json(false) && queue.stop_policy.empty()) {
    queue.stop_policy = "Hold";
  }
  const Json checks = KueueMember(json, "admissionChecks");
  if (checks.is_array()) {
    queue.admission_checks = checks.get<std::vector<std::string>>();
  }
  return queue;
}

}  // namespace mulligan::conformance
