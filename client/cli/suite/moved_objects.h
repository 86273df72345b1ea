// Kubernetes objects of a fixture, moved in time and made another attempt.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_MOVED_OBJECTS_H_
#define MULLIGAN_CLIENT_CLI_SUITE_MOVED_OBJECTS_H_

#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/struct.pb.h"

namespace mulligan::cli {

// The latest time (a string as RFC 3339 writes it) anywhere in the objects;
// InfinitePast when there is none.
absl::Time LatestTime(const std::vector<google::protobuf::Struct>& objects);

// Adds `by` to every time in the objects.
void MoveTimes(absl::Duration by,
               std::vector<google::protobuf::Struct>& objects);

// Gives pods the names and UIDs of attempt `number`, wherever the objects
// mention them, and a FailureReport the failureId. The containers of a pod
// without an owner have been restarted instead: it is the workload itself.
void BecomeAttempt(int number, std::vector<google::protobuf::Struct>& objects);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_MOVED_OBJECTS_H_
