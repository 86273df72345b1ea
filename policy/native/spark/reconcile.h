// Releases and options of the Spark operator, and one pass of its
// SparkApplication reconciler.
#ifndef MULLIGAN_POLICY_NATIVE_SPARK_RECONCILE_H_
#define MULLIGAN_POLICY_NATIVE_SPARK_RECONCILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/release.h"
#include "policy/request/views/spark_words.h"

namespace mulligan::spark {

using Pod = kubernetes::core::v1::Pod;
using SparkApplication = kubernetes::spark::v1beta2::SparkApplication;
using SparkApplicationStatus =
    kubernetes::spark::v1beta2::SparkApplicationStatus;

// Differences that affect failures. Defaults: release 2.3.
struct Settings {
  // --driver-pod-creation-grace-period: how long after a submission the
  // operator waits for a missing driver pod.
  absl::Duration driver_grace = absl::Seconds(10);
  // Since 2.4: spec.suspend is obeyed.
  bool suspends = false;
  // Since 2.5: a rerun keeps submissionAttempts and the time of the last
  // submission, so that the delay keeps growing. The ended run's messages are
  // erased as soon as the rerun is decided.
  bool keeps_submission_attempts = false;
};

// Reads versions["spark"] ("2.4", "v2.4.0"; absent: 2.3), then settings
// "spark.<flag of the controller>". Ignores other operators' settings.
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

// The input of a pass.
struct Observed {
  const SparkApplication& application;
  // The pod called DriverName(), or null.
  const Pod* driver = nullptr;
  const Settings& settings;
  absl::Time now;
};

// The result of a pass in addition to the new state.
enum class Step {
  // Nothing to do except to follow the driver.
  kFollow,
  // The driver does not exist yet; the operator looks again until the grace
  // ends.
  kAwaitDriver,
  // A retry is due in `delay`; 0 if it is done or imminent.
  kRetry,
  kGiveUp,
  // The same error repeats until the specification changes.
  kStuck,
};

struct Pass {
  SparkApplicationStatus status;
  Step step = Step::kFollow;
  absl::Duration delay;
  // Reason of the last event about the application or its driver; may be empty.
  std::string event;
  // For kAwaitDriver and kStuck: the error that the operator logs.
  std::string error;
};

inline const std::string& StateOf(const SparkApplicationStatus& status) {
  return status.application_state().state();
}

// What spec.restartPolicy says about a failed run (state FAILING) or
// submission, and how often it was tried.
struct RetryRule {
  std::string_view name;
  std::optional<std::int32_t> retries;
  // In seconds.
  std::optional<std::int64_t> interval;
  std::int32_t attempts = 0;
};
RetryRule RetryRuleFor(const SparkApplication& application,
                       const SparkApplicationStatus& status);

// Returns the driver pod's name: that of the last submission, else of a pod in
// `pods` labelled as a driver, else the operator's default.
std::string DriverName(const SparkApplication& application,
                       const google::protobuf::RepeatedPtrField<Pod>& pods);

// Assumes that submissions succeed.
Pass Reconcile(const Observed& observed);

}  // namespace mulligan::spark

#endif  // MULLIGAN_POLICY_NATIVE_SPARK_RECONCILE_H_
