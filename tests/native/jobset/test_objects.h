// Objects for the tests of the JobSet controller's logic.
#ifndef MULLIGAN_TESTS_NATIVE_JOBSET_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_JOBSET_TEST_OBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/native/jobset/objects.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::jobset {

using ::mulligan::job::Parse;

inline google::protobuf::Timestamp At(std::int64_t seconds) {
  google::protobuf::Timestamp time;
  time.set_seconds(seconds);
  return time;
}

// Child Job <group>-<index> without conditions.
inline Job JobAt(const std::string& group, int index) {
  Job job;
  job.mutable_metadata()->set_name(absl::StrCat(group, "-", index));
  auto& labels = *job.mutable_metadata()->mutable_labels();
  if (!group.empty()) labels[std::string(kReplicatedJobNameKey)] = group;
  labels[std::string(kJobIndexKey)] = absl::StrCat(index);
  return job;
}

inline Job JobWith(const std::string& type, const std::string& group,
                   int index) {
  Job job = JobAt(group, index);
  JobCondition& condition = *job.mutable_status()->add_conditions();
  condition.set_type(type);
  condition.set_status("True");
  return job;
}

// The same, failed at `seconds` for `reason`.
inline Job FailedJob(const std::string& group, int index, std::int64_t seconds,
                     const std::string& reason = "BackoffLimitExceeded",
                     const std::string& message = "") {
  Job job = JobWith("Failed", group, index);
  JobCondition& failed = *job.mutable_status()->mutable_conditions(0);
  failed.set_reason(reason);
  failed.set_message(message);
  *failed.mutable_last_transition_time() = At(seconds);
  return job;
}

inline Jobs PointersTo(const std::vector<Job>& jobs) {
  Jobs pointers;
  for (const Job& job : jobs) pointers.push_back(&job);
  return pointers;
}

}  // namespace mulligan::jobset

#endif  // MULLIGAN_TESTS_NATIVE_JOBSET_TEST_OBJECTS_H_
