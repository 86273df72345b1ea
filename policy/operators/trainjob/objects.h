// A TrainJob whose objects cannot be built from it, or not be created.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_OBJECTS_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_OBJECTS_H_

#include <string>
#include <string_view>

#include "mulligan/v1/report.pb.h"
#include "policy/operators/trainjob/types.h"
#include "policy/operators/trainjob/version.h"

namespace mulligan::trainjob {

enum class Objects {
  // Built and applied.
  kReady,
  // The runtime's plugins could not construct them from the TrainJob and its
  // runtime. Deterministic.
  kBuildFailed,
  // Constructed, but the API server or a webhook refused them.
  kCreationFailed,
};

// What a controller reports. Without a phase, an answer of the API server makes
// it a creation failure, and so does a text that no builder writes; else the
// texts of the builders tell.
Objects ObjectsAfter(const v1::CreationError& error);

// Condition Created as designed in KEP-2170. False is neither terminal nor
// counted: the controller waits for a corrected TrainJob.
Condition CreatedCondition(Objects objects);

// Message of the warning event TrainJobResourcesCreationFailed, today the only
// trace of either failure: no condition, no counter, and the pass is repeated
// with growing delays for ever. Errors of more than 950 bytes are cut after 950
// characters.
std::string ResourcesFailedMessage(std::string_view error);
inline constexpr std::string_view kResourcesFailedReason =
    "TrainJobResourcesCreationFailed";

// Whether this controller has a runtime of the kind; without kind and group the
// API server fills in its own.
bool IsRuntimeSupported(const RuntimeRef& ref);
// "TrainingRuntime.trainer.kubeflow.org".
std::string RuntimeKindOf(const RuntimeRef& ref);

// Whether another controller is in charge: managedBy is set to anything but
// this one.
bool IsManagedByOther(const TrainJobSpec& spec, const Version& version);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_OBJECTS_H_
