// What a report shows, read plainly, for the invariants; deliberately without
// the readers under test. In doubt it shows trouble, so that no arguable answer
// is called wrong.
#ifndef MULLIGAN_TESTS_STORIES_SIGNS_H_
#define MULLIGAN_TESTS_STORIES_SIGNS_H_

#include <string_view>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// The pod's run is over or is being ended by a disruption, and it did not
// succeed. A container that the kubelet restarts ends nothing.
bool EndedBadly(const kubernetes::core::v1::Pod& pod);

// Something other than a disruption deleted the pod.
bool DeletedOnPurpose(const kubernetes::core::v1::Pod& pod);

// A disruption marks the pod.
bool IsDisrupted(const kubernetes::core::v1::Pod& pod);

// A container of it runs.
bool HasRunningContainer(const kubernetes::core::v1::Pod& pod);

// Anything that is, was or may become a failure.
bool ShowsTrouble(const v1::FailureReport& report);

// Trouble that nothing has acted on: neither the kubelet (the container
// restarts) nor the operator (another pod took the place, the JobSet is at a
// later attempt, the RayJob retries, Ray and Spark replace what they lose).
bool ShowsOpenTrouble(const v1::FailureReport& report);

// An object of kind `top` says that the work succeeded.
bool ShowsSuccess(const v1::FailureReport& report, std::string_view top);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_SIGNS_H_
