// What Trainer's API server schema and webhook refuse: the build failures that
// are caught before there is a TrainJob, and why "wait for a corrected spec"
// rarely helps one that exists.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_VALIDATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/trainjob/types.h"

namespace mulligan::trainjob {

// The runtime a TrainJob refers to, as far as validation asks about it.
struct Runtime {
  bool exists = true;
  // Carries label trainer.kubeflow.org/support: deprecated.
  bool deprecated = false;
  // It has a job, with a container, of that name for initialisers.
  bool has_dataset_initializer = true;
  bool has_model_initializer = true;
  // The ML policy: "Torch", "OpenMPI", "Jax", "XGBoost", "Flux", "PlainML".
  std::string policy;
  std::vector<std::string> init_containers;
};

// The initialiser of a data set or model. Empty `storage_uri` is allowed.
struct Initializer {
  std::string storage_uri;
};

// A TrainJob to be created. Members the mirror of TrainJob leaves out are here.
struct Creation {
  TrainJobSpec spec;
  std::optional<std::int64_t> num_proc_per_node;
  // Names of the trainer's environment variables.
  std::vector<std::string> env;
  std::optional<Initializer> dataset;
  std::optional<Initializer> model;
  Runtime runtime;
};

struct CreationIssues {
  FieldErrors errors;
  std::vector<std::string> warnings;
};

CreationIssues ValidateCreation(const Creation& creation);

// What of the spec in a report could not have been admitted.
FieldErrors ValidateTrainJobSpec(const TrainJobSpec& spec);

// Changes of fields that never change: trainer, initializer, runtimeRef,
// managedBy, activeDeadlineSeconds. `changed` are paths below spec:
// "trainer.image".
FieldErrors ValidateFieldChanges(const std::vector<std::string>& changed);

// How the JobSet stands while runtimePatches change.
struct JobSetView {
  // Reading it failed for another reason than absence.
  bool unreadable = false;
  // Groups with active Jobs.
  std::vector<std::string> active_groups;
};

// Changes of runtimePatches pass only while the TrainJob is suspended before or
// after the change, and no group of its JobSet is active.
FieldErrors ValidateRuntimePatchesChange(bool was_suspended, bool is_suspended,
                                         const JobSetView& job_set);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_VALIDATION_H_
