// Objects for the tests of Kueue's logic.
#ifndef MULLIGAN_TESTS_NATIVE_KUEUE_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_KUEUE_TEST_OBJECTS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/native/kueue/workload.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::kueue {

using ::mulligan::job::Parse;

inline absl::Time Second(std::int64_t seconds) {
  return absl::FromUnixSeconds(seconds);
}

inline void AddCondition(std::string_view type, bool status,
                         const std::string& reason, std::int64_t since,
                         Workload& workload) {
  Condition& condition = *workload.mutable_status()->add_conditions();
  condition.set_type(std::string(type));
  condition.set_status(status ? "True" : "False");
  condition.set_reason(reason);
  condition.set_message("message of " + reason);
  SetTime(Second(since), *condition.mutable_last_transition_time());
}

// Workload ns/wl, admitted to ClusterQueue cq at `since`.
inline Workload AdmittedWorkload(std::int64_t since) {
  Workload workload;
  workload.mutable_metadata()->set_namespace_("ns");
  workload.mutable_metadata()->set_name("wl");
  SetTime(Second(1),
          *workload.mutable_metadata()->mutable_creation_timestamp());
  workload.mutable_status()->mutable_admission()->set_cluster_queue("cq");
  AddCondition(kQuotaReserved, true, "QuotaReserved", since, workload);
  AddCondition(kAdmitted, true, "Admitted", since, workload);
  return workload;
}

// The same, evicted at `at` for `reason`; its job has not stopped yet.
inline Workload EvictedWorkload(const std::string& reason, std::int64_t at) {
  Workload workload = AdmittedWorkload(at - 100);
  AddCondition(kEvicted, true, reason, at, workload);
  return workload;
}

inline AdmissionCheckState& AddCheck(const std::string& name,
                                     const std::string& state,
                                     Workload& workload) {
  AdmissionCheckState& check =
      *workload.mutable_status()->add_admission_checks();
  check.set_name(name);
  check.set_state(state);
  return check;
}

}  // namespace mulligan::kueue

#endif  // MULLIGAN_TESTS_NATIVE_KUEUE_TEST_OBJECTS_H_
