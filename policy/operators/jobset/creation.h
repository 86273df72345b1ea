// What the JobSet controller does when it cannot create an object.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_CREATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_CREATION_H_

#include <optional>
#include <string_view>

#include "policy/operators/jobset/conditions.h"

namespace mulligan::jobset {

// The only trace of a failed creation: a warning event. No condition, counter
// or terminal state follows, and the work queue retries with growing delays for
// ever, whatever the error. Since 0.11 for Jobs. Nothing for other kinds than
// Job, Service and PersistentVolumeClaim.
std::optional<Event> CreationFailedEvent(std::string_view kind,
                                         std::string_view name,
                                         std::string_view error);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_CREATION_H_
