// Jobs and pods for the tests of training-operator v1's logic.
#ifndef MULLIGAN_TESTS_NATIVE_KUBEFLOW_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_KUBEFLOW_TEST_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "policy/native/kubeflow/training_job.h"
#include "tests/native/jobset/test_objects.h"

namespace mulligan::kubeflow {

using ::mulligan::jobset::At;
using ::mulligan::jobset::Parse;

// Pod <type>-<index> of job "j", whose main container is named after `kind`.
inline Pod PodAt(const std::string& type, int index, const std::string& phase,
                 std::optional<std::int32_t> exit_code = std::nullopt,
                 const std::string& kind = "TFJob") {
  Pod pod;
  const std::string lower = absl::AsciiStrToLower(type);
  pod.mutable_metadata()->set_name(absl::StrCat("j-", lower, "-", index));
  auto& labels = *pod.mutable_metadata()->mutable_labels();
  labels[std::string(kReplicaTypeLabel)] = lower;
  labels[std::string(kReplicaIndexLabel)] = absl::StrCat(index);
  pod.mutable_status()->set_phase(phase);
  if (exit_code.has_value()) {
    auto& container = *pod.mutable_status()->add_container_statuses();
    container.set_name(std::string(FindKind(kind)->container));
    container.mutable_state()->mutable_terminated()->set_exit_code(*exit_code);
  }
  return pod;
}

inline Pod WithRestarts(Pod pod, std::int32_t restarts) {
  pod.mutable_status()->add_container_statuses()->set_restart_count(restarts);
  return pod;
}

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_TESTS_NATIVE_KUBEFLOW_TEST_OBJECTS_H_
