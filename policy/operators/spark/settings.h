// Releases and options of the Spark operator.
#ifndef MULLIGAN_POLICY_OPERATORS_SPARK_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_SPARK_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/native.pb.h"

namespace mulligan::spark {

// What bears on failures, with the defaults of release 2.3.
struct Settings {
  // --driver-pod-creation-grace-period: how long after a submission a missing
  // driver pod is waited for.
  absl::Duration driver_grace = absl::Seconds(10);
  // Since 2.4: spec.suspend is obeyed.
  bool suspends = false;
  // Since 2.5: a rerun keeps submissionAttempts and the time of the last
  // submission, so that the wait goes on growing; the words of the run that
  // ended are erased as soon as the rerun is decided.
  bool keeps_submission_attempts = false;
};

// Settings of one release, and what was not understood.
struct SettingsSetup {
  Settings settings;
  // "spark 2.3".
  std::string semantics;
  std::vector<std::string> warnings;
};

// The release versions["spark"] ("2.4", "v2.4.0"; absent: 2.3), then settings
// "spark.<flag of the controller>". Settings of others are passed over.
SettingsSetup SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::spark

#endif  // MULLIGAN_POLICY_OPERATORS_SPARK_SETTINGS_H_
