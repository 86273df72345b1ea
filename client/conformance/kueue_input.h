// Kueue's objects and settings from the JSON of case files.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "policy/native/kueue_conditions.h"
#include "policy/native/kueue_gates.h"
#include "policy/native/kueue_reconcile.h"
#include "policy/native/kueue_settings.h"
#include "policy/native/kueue_types.h"

namespace mulligan::conformance {

// A member, or null.
Json KueueMember(const Json& object, const char* name);

// input.now; the cases' fixed time where it is missing.
absl::StatusOr<absl::Time> KueueNow(const Json& input);

absl::StatusOr<kueue::Gates> KueueGates(const CaseInput& input);

// A workload in the files' short form: members of spec and status side by side.
// UNIMPLEMENTED for a member that is not known.
absl::StatusOr<kueue::Workload> KueueWorkload(const Json& json);

// What the files leave out: the quota of an admitted workload, and the
// admission of one with quota.
void CompleteAdmission(kueue::Workload& workload);

// status.conditions.
absl::StatusOr<kueue::Conditions> KueueConditions(const Json& list);

// The block waitForPodsReady, flat or nested. Null: absent.
absl::StatusOr<kueue::WaitForPodsReadyConfig> KueueConfig(const Json& json);
// The same as the controllers hold it: no recoveryTimeout, no recovery clock.
absl::StatusOr<std::optional<kueue::WaitForPodsReady>> KueueSettings(
    const Json& json);

// A ClusterQueue or LocalQueue. Null: not known.
absl::StatusOr<std::optional<kueue::Queue>> KueueQueue(const Json& json);

absl::StatusOr<std::vector<kueue::Pod>> KueuePods(const Json& list,
                                                  absl::Time now);
absl::StatusOr<kueue::Node> KueueNode(const Json& json,
                                      const std::string& name);

// Durations: numbers of seconds, Go's notation, and the names under which
// Kueue's integration tests keep theirs ("tiny", "long").
absl::StatusOr<absl::Duration> KueueDuration(const Json& json,
                                             std::string_view what);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_INPUT_H_
