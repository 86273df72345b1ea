// Releases of Kubeflow Trainer, and the design none of them implements.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_SETTINGS_H_

#include <string>
#include <vector>

#include "mulligan/v1/native.pb.h"

namespace mulligan::trainjob {

// What changes the outcome of a failure, with the defaults of the default
// branch in August 2026 (8c0f5059b).
struct Version {
  // KEP-2170 as designed (#2298, #2322): condition Created, whose reason tells
  // a failure to build the objects from one to create them; condition Suspended
  // on every job. Removed before release 2.0 (#2621).
  bool created_condition = false;
  // Since #3891 (2026-08, after release 2.2). Before, Failed was dropped in
  // every pass unless its reason was DeadlineExceeded; a failed job whose
  // JobSet was gone got a new one, with a new budget, for ever (#3779, #3737).
  bool failed_is_final = true;
  // Release 2.0: a finished TrainJob is never looked at again; a JobSet that
  // has completed is not asked whether it failed; no managedBy, no deadline, no
  // jobsStatus.
  bool first_release = false;
};

struct VersionSetup {
  Version version;
  // "trainer 2026-08", "trainer 2.2" or "trainer kep-2170".
  std::string semantics;
  std::vector<std::string> warnings;
};

// versions["trainer"]: "kep-2170", or a release ("2.2", "v2.1.0"). Absent: the
// default branch.
VersionSetup VersionFor(const v1::NativeSemantics& semantics);

// The semantics of KEP-2170.
Version Kep2170();

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_SETTINGS_H_
