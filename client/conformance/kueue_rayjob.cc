#include "client/conformance/kueue_rayjob.h"

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_rayjob.h"

namespace mulligan::conformance {
namespace {

constexpr const char* kIntegration = "pkg/controller/jobs/rayjob/";

absl::StatusOr<Answer> Evaluate(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input", {"kind", "level", "spec", "metadata", "status"});
  if (!known.ok()) return known;
  const auto job = RayJobFrom(input.input, "status");
  if (!job.ok()) return job.status();
  const kueue::RayJobInKueue read = kueue::ReadRayJob(*job);
  return Answer::Facts({{"finished", read.finished},
                        {"success", read.success},
                        {"message", read.message},
                        {"active", read.active},
                        {"isActive", read.active},
                        {"onHold", read.on_hold},
                        {"podsReady", read.pods_ready},
                        {"suspended", read.suspended},
                        {"isSuspended", read.suspended}});
}

}  // namespace

std::optional<absl::StatusOr<Answer>> EvaluateRayJobInKueue(
    const CaseInput& input) {
  if (input.source.find(kIntegration) == std::string::npos) return std::nullopt;
  return Evaluate(input);
}

}  // namespace mulligan::conformance
