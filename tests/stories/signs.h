// What a report shows, read plainly: the yardstick of the invariants, and on
// purpose none of the readers under test. Where it is in doubt it says that
// there is trouble, so that nothing is called wrong that could be argued for.
#ifndef MULLIGAN_TESTS_STORIES_SIGNS_H_
#define MULLIGAN_TESTS_STORIES_SIGNS_H_

#include <string_view>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// The pod's run is over, or a disruption is ending it, and it was no success. A
// container that the kubelet starts again ends nothing.
bool EndedBadly(const kubernetes::core::v1::Pod& pod);

// Somebody deleted the pod, and no disruption did.
bool DeletedOnPurpose(const kubernetes::core::v1::Pod& pod);

// A disruption marks the pod.
bool IsDisrupted(const kubernetes::core::v1::Pod& pod);

// A container of it runs.
bool HasRunningContainer(const kubernetes::core::v1::Pod& pod);

// Anything at all that could be, have been or become a failure.
bool ShowsTrouble(const v1::FailureReport& report);

// Trouble that nobody has acted on: not the kubelet (the container starts
// again), not the operator (another pod took the place, the JobSet is at a
// later attempt, the RayJob retries, Ray and Spark replace what they lose).
bool ShowsOpenTrouble(const v1::FailureReport& report);

// The work, an object of kind `top`, says that it succeeded.
bool ShowsSuccess(const v1::FailureReport& report, std::string_view top);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_SIGNS_H_
