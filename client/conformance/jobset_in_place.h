// Cases about JobSet's in-place restarts.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_JOBSET_IN_PLACE_H_
#define MULLIGAN_CLIENT_CONFORMANCE_JOBSET_IN_PLACE_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// The facts of a case whose kind is inplace-`name`; nothing when there is no
// such kind. A function that failed answers {error: true, errorMessage}.
std::optional<absl::StatusOr<Json>> InPlaceFacts(std::string_view name,
                                                 const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_JOBSET_IN_PLACE_H_
