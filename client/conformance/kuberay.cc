// Cases from ray-project/kuberay.
#include <array>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/absent.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/kuberay_facts.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/kuberay_plot.h"

namespace mulligan::conformance {
namespace {

using FactsOf = absl::StatusOr<Json> (*)(const CaseInput&);

struct Kind {
  std::string_view name;
  // Cases in which something happens, or a whole cluster lives.
  FactsOf story;
  // Cases about one function.
  FactsOf function;
};

constexpr std::array<Kind, 13> kKinds = {{
    {"retry", RayJobStoryFacts, RayJobStoryFacts},
    {"failure", RayJobStoryFacts, RayJobStoryFacts},
    {"infra-failure", RayJobStoryFacts, RayJobStoryFacts},
    {"deadline", RayJobStoryFacts, RayJobStoryFacts},
    {"transition", RayJobStoryFacts, RayJobStoryFacts},
    {"creation-failure", RayJobStoryFacts, RayJobStoryFacts},
    {"suspend", RayJobStoryFacts, SuspendFacts},
    {"status-check", RayJobStoryFacts, StatusCheckFacts},
    {"status-write", RayJobStoryFacts, StatusWriteFacts},
    {"submitter", RayJobStoryFacts, SubmitterFacts},
    {"validation", RayJobStoryFacts, RayJobValidationFacts},
    {"raycluster-pod", ClusterPodFacts, ClusterPodFacts},
    {"raycluster-status", ClusterStatusFacts, ClusterStatusFacts},
}};

struct Outside {
  std::string_view kind;
  std::string_view reason;
};

constexpr std::array<Outside, 4> kOutside = {{
    {"cleanup", "clean-up"},
    {"metric", "metrics-and-events"},
    {"managed-by", "managed-by"},
    {"raycluster-upgrade", "cluster-upgrade"},
}};

bool IsStory(const CaseInput& input) {
  for (const char* const name : {"event", "resources", "batchScheduler"}) {
    if (input.input.contains(name)) return true;
  }
  if (IsUnit(input)) return IsPassOfSuspended(input);
  // A test against an API server that only looks at the submitter's spec.
  return input.kind != "submitter";
}

absl::StatusOr<Json> Facts(const Kind& kind, const CaseInput& input) {
  if (kind.name == "creation-failure") {
    const auto plot = KubeRayPlotFrom(input);
    if (!plot.ok()) return plot.status();
    if (!plot->failing_pod_call.call.empty()) return PodCallFacts(input);
  }
  return IsStory(input) ? kind.story(input) : kind.function(input);
}

}  // namespace

absl::StatusOr<Answer> EvaluateKubeRay(const CaseInput& given) {
  const CaseInput input = WithoutNulls(given);
  for (const Outside& outside : kOutside) {
    if (outside.kind == input.kind) return Answer::Outside(outside.reason);
  }
  // Validation of a RayCluster on its own is about upgrades.
  if (input.kind == "validation" && input.input.contains("rayCluster")) {
    return Answer::Outside("cluster-upgrade");
  }
  for (const Kind& kind : kKinds) {
    if (kind.name != input.kind) continue;
    auto facts = Facts(kind, input);
    if (!facts.ok()) return facts.status();
    return Answer::Facts(*std::move(facts));
  }
  return absl::UnimplementedError(
      absl::StrFormat("kind '%s' is not understood", input.kind));
}

}  // namespace mulligan::conformance
