// Cases about Kueue's configuration.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SETTINGS_CASES_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SETTINGS_CASES_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// waitForPodsReady: {valid, errors}, and the block with its defaults.
absl::StatusOr<Json> KueueValidationFacts(const CaseInput& input);
absl::StatusOr<Json> KueueDefaultingFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SETTINGS_CASES_H_
