// Cases from kubernetes-sigs/kueue.
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/kueue_rayjob.h"

namespace mulligan::conformance {

absl::StatusOr<Answer> EvaluateKueue(const CaseInput& input) {
  if (auto answer = EvaluateRayJobInKueue(input)) return *std::move(answer);
  return absl::UnimplementedError(
      absl::StrFormat("kind '%s' is not understood", input.kind));
}

}  // namespace mulligan::conformance
