// Turns the members of KubeRay's cases into objects.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_INPUT_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/native/kuberay_settings.h"
#include "policy/native/kuberay_types.h"

namespace mulligan::conformance {

// The time at which cases are asked; "10 minutes ago" counts back from it.
absl::Time KubeRayNow();

// What cases write for a member without a value.
std::vector<Json> UnsetWords();
// Whether the text is one of them, or the other word.
bool IsUnsetWord(const Json& json, std::string_view another = "");

// The member, or null.
Json MemberOf(const Json& object, std::string_view name);

// The text, or empty for null. INVALID_ARGUMENT for anything else.
absl::StatusOr<std::string> TextOrEmpty(const Json& json,
                                        std::string_view what);

// "level" of the case's test: "unit" looks at one function or pass, "envtest"
// at the operator alone, "e2e" at a whole cluster.
bool IsUnit(const CaseInput& input);
bool IsEndToEnd(const CaseInput& input);

// Whether a suspended RayJob is given and nothing happens: asked is what the
// controller's pass makes of it.
bool IsPassOfSuspended(const CaseInput& input);

// Gates (members featureGates) and operatorEnv, in which null is "not set".
absl::StatusOr<kuberay::Settings> KubeRaySettings(const CaseInput& input);

// RFC 3339, "now", "set", "10 minutes ago", "more than 1s ago".
absl::StatusOr<google::protobuf::Timestamp> CaseTime(const Json& json,
                                                     std::string_view what);

// Members spec, metadata and statusBefore (or `status_member`).
absl::StatusOr<kuberay::RayJob> RayJobFrom(
    const Json& input, std::string_view status_member = "statusBefore");

// Merges a spec into the RayJob's. Groups may say {"containers": 1} for a pod
// template with that many containers.
absl::Status MergeSpec(const Json& spec, kuberay::RayJob& job);

// Merges a status into the RayJob's. A member that is null is cleared.
absl::Status MergeStatus(const Json& status, kuberay::RayJob& job);

// {"a.b": 1} as {"a": {"b": 1}}.
Json Nested(const Json& flat);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_INPUT_H_
