// Pods and nodes in the short form of Kueue's cases.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

Json PodJson(const Json& pod, absl::Time now) {
  Json full;
  Json& metadata = full["metadata"];
  for (const char* const name : {"name", "annotations", "labels", "finalizers",
                                 "creationTimestamp", "deletionTimestamp"}) {
    if (pod.contains(name)) metadata[name] = pod[name];
  }
  if (KueueMember(pod, "deleting") == Json(true) &&
      !pod.contains("deletionTimestamp")) {
    google::protobuf::Timestamp deleted;
    SetTime(now, deleted);
    metadata["deletionTimestamp"] = TimestampJson(deleted);
  }
  Json& spec = full["spec"];
  spec = Json::object();
  if (pod.contains("nodeName")) spec["nodeName"] = pod["nodeName"];
  const Json selector = KueueMember(pod, "nodeSelector");
  if (!selector.is_null()) spec["nodeSelector"] = selector;
  if (pod.contains("nodeSelectorHostname")) {
    spec["nodeSelector"]["kubernetes.io/hostname"] =
        pod["nodeSelectorHostname"];
  }
  const auto gate = [&](const char* member, const char* name) {
    if (KueueMember(pod, member) == Json(true)) {
      spec["schedulingGates"].push_back({{"name", name}});
    }
  };
  gate("topologyGated", "kueue.x-k8s.io/topology");
  gate("gated", "kueue.x-k8s.io/admission");
  for (const char* const name : {"phase", "conditions", "message", "reason"}) {
    if (pod.contains(name)) full["status"][name] = pod[name];
  }
  return full;
}

Json TaintJson(const Json& taint) {
  if (!taint.is_string()) return taint;
  return {{"key", taint}, {"effect", "NoExecute"}};
}

}  // namespace

absl::StatusOr<std::vector<kueue::Pod>> KueuePods(const Json& list,
                                                  absl::Time now) {
  std::vector<kueue::Pod> pods;
  if (list.is_null()) return pods;
  for (const Json& entry : list) {
    const absl::Status known = CheckOnlyMembers(
        entry, "pod",
        {"name", "phase", "nodeName", "nodeSelectorHostname", "nodeSelector",
         "topologyGated", "gated", "deleting", "deletionTimestamp",
         "creationTimestamp", "annotations", "labels", "finalizers",
         "conditions", "message", "reason"});
    if (!known.ok()) return known;
    auto pod = MessageFrom<kueue::Pod>(PodJson(entry, now), "pod");
    if (!pod.ok()) return pod.status();
    pods.push_back(*std::move(pod));
  }
  return pods;
}

absl::StatusOr<kueue::Node> KueueNode(const Json& json,
                                      const std::string& name) {
  const absl::Status known =
      CheckOnlyMembers(json, "node", {"name", "taints", "ready"});
  if (!known.ok()) return known;
  Json full = {{"metadata", {{"name", name}}}};
  for (const Json& taint : KueueMember(json, "taints")) {
    full["spec"]["taints"].push_back(TaintJson(taint));
  }
  Json ready = KueueMember(json, "ready");
  if (ready.is_object()) {
    ready["type"] = "Ready";
    full["status"]["conditions"].push_back(ready);
  }
  return MessageFrom<kueue::Node>(full, "node");
}

}  // namespace mulligan::conformance
