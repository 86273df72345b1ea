#include "policy/demystify/readers/helper_containers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace mulligan::demystify {
namespace {

constexpr std::string_view kHelpers[] = {
    "autoscaler",
    "aws-for-fluent-bit",
    "cloud-sql-proxy",
    "cloudsql-proxy",
    "config-reloader",
    "consul-dataplane",
    "daprd",
    "datadog-agent",
    "envoy",
    "filebeat",
    "fluent-bit",
    "fluentbit",
    "fluentd",
    "flyte-copilot-downloader",
    "flyte-copilot-sidecar",
    "git-sync",
    "gke-gcsfuse-sidecar",
    "helper",
    "istio-init",
    "istio-proxy",
    "istio-validation",
    "jaeger-agent",
    "kube-rbac-proxy",
    "linkerd-init",
    "linkerd-proxy",
    "logs-collector",
    "metrics-exporter",
    "oauth-proxy",
    "otc-container",
    "otel-collector",
    "promtail",
    "queue-proxy",
    "ray-job-submitter",
    "reloader",
    "supervisor",
    "telegraf",
    "tensorboard",
    "vault-agent",
    "vault-agent-init",
    "vector",
    "wait",
    "xray-daemon",
};
static_assert(std::is_sorted(std::begin(kHelpers), std::end(kHelpers)));

// For each letter, the first helper whose name begins with it or a later one.
constexpr auto kFirstOf = [] {
  std::array<std::size_t, 257> first = {};
  for (std::size_t letter = 1; letter < first.size(); ++letter) {
    first[letter] = first[letter - 1];
    while (first[letter] < std::size(kHelpers) &&
           static_cast<unsigned char>(kHelpers[first[letter]][0]) < letter) {
      ++first[letter];
    }
  }
  return first;
}();

}  // namespace

// Called several times for every container of every pod.
bool IsHelperContainer(std::string_view name) {
  if (name.empty()) return false;
  const auto letter = static_cast<unsigned char>(name.front());
  for (std::size_t i = kFirstOf[letter]; i < kFirstOf[letter + 1]; ++i) {
    if (kHelpers[i] == name) return true;
  }
  return name.find("sidecar") != std::string_view::npos;
}

bool SavesOutputs(std::string_view name) {
  return name == "wait" || name == "flyte-copilot-sidecar";
}

bool SoundsLikeHelper(std::string_view name) {
  constexpr std::string_view kWords[] = {"exporter", "forwarder", "metrics",
                                         "proxy",    "shipper",   "telemetry"};
  // A container's name is a DNS label.
  while (true) {
    const std::size_t end = name.find('-');
    if (std::ranges::find(kWords, name.substr(0, end)) != std::end(kWords)) {
      return true;
    }
    if (end == name.npos) return false;
    name.remove_prefix(end + 1);
  }
}

}  // namespace mulligan::demystify
