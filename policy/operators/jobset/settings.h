// Feature gates and releases of the JobSet controller.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_SETTINGS_H_

#include <string>

#include "mulligan/v1/native.pb.h"
#include "policy/operators/release.h"

namespace mulligan::jobset {

// What changes the outcome of a failure, with the defaults of JobSet 0.12.
struct Gates {
  // Gate RestartJob (alpha): actions on one child Job. Off, a rule with such
  // an action is an error at every pass and refused at creation.
  bool restart_job = false;
  // Gate InPlaceRestart (alpha).
  bool in_place_restart = false;
  // No gate: onJobFailureMessagePatterns, since 0.10.
  bool message_patterns = true;
  // No gate: the RestartJob actions are known at all, since 0.12.
  bool restart_job_actions = true;
  // No gate: condition RestartingJobSet, since 0.12.
  bool restarting_condition = true;
};

// Defaults of the release versions["jobset"] ("0.11", "v0.11.2"; absent: 0.12),
// then feature_gates by name. Gates of others are passed over.
GateSetup<Gates> GatesFor(const v1::NativeSemantics& semantics);

// Sets the gate called `name`; false when JobSet has none of that name, or one
// that changes nothing here.
bool SetGate(const std::string& name, bool enabled, Gates& gates);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_SETTINGS_H_
