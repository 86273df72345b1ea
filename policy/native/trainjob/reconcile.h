// Releases of Kubeflow Trainer, the design none of them implements, and one
// pass of the TrainJob controller.
#ifndef MULLIGAN_POLICY_NATIVE_TRAINJOB_RECONCILE_H_
#define MULLIGAN_POLICY_NATIVE_TRAINJOB_RECONCILE_H_

#include <string>
#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/meta/v1/condition.pb.h"
#include "mulligan/kubernetes/trainer/v1alpha1/train_job.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/native/release.h"

namespace mulligan::trainjob {

using TrainJob = kubernetes::trainer::v1alpha1::TrainJob;
using TrainJobStatus = kubernetes::trainer::v1alpha1::TrainJobStatus;
using JobSet = kubernetes::jobset::v1alpha2::JobSet;
using Condition = kubernetes::meta::v1::Condition;
using Conditions = google::protobuf::RepeatedPtrField<Condition>;

// What changes the outcome of a failure, with the defaults of the default
// branch in August 2026 (8c0f5059b).
struct Version {
  // KEP-2170 as designed (#2298, #2322): condition Created, whose reason tells
  // a failure to build the objects from one to create them; condition Suspended
  // on every job. Removed before release 2.0 (#2621).
  bool created_condition = false;
  // Since #3891 (2026-08, after release 2.3). Before, Failed was dropped in
  // every pass unless its reason was DeadlineExceeded; a failed job whose
  // JobSet was gone got a new one, with a new budget, for ever (#3779, #3737).
  bool failed_is_final = true;
  // Release 2.0: a finished TrainJob is never looked at again; a JobSet that
  // has completed is not asked whether it failed; no managedBy, no deadline, no
  // jobsStatus.
  bool first_release = false;
};

// versions["trainer"]: "kep-2170", or a release ("2.2", "v2.1.0"). Absent: the
// default branch.
Setup<Version> VersionFor(const v1::NativeSemantics& semantics);

// The semantics of KEP-2170.
Version Kep2170();

// Condition types. Created only by releases that follow KEP-2170 as designed:
// False is neither terminal nor counted, the controller waits for a corrected
// TrainJob.
inline constexpr std::string_view kCreated = "Created";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

// A reason of Failed; the others are the JobSet's.
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";

// Adds the condition, or changes the one of its type in place. Its
// lastTransitionTime moves when the status does.
void SetCondition(std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message,
                  const google::protobuf::Timestamp& now,
                  Conditions& conditions);

// How building and applying the objects goes.
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

struct Observed {
  const TrainJob& train_job;
  const Version& version;
  google::protobuf::Timestamp now;
  // Null: there is none.
  const JobSet* job_set = nullptr;
  Objects objects = Objects::kReady;
  // When that fails.
  std::string error = {};
};

struct Pass {
  TrainJobStatus status;
  // A JobSet is made, or brought up to date.
  bool applies_job_set = false;
  // Message of the warning event TrainJobResourcesCreationFailed, today the
  // only trace of either failure to make the objects: no condition, no counter,
  // and the pass is repeated with growing delays for ever. Empty: none.
  std::string event;
};

// In this order: an unknown runtime fails the job; unless finished the objects
// are built and applied (a JobSet only while it or the TrainJob is suspended,
// or absent); conditions Suspended and, as designed, Created; the JobSet's
// terminal conditions and counts; the deadline. A job another controller
// manages is not for this.
Pass Reconcile(const Observed& observed);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_NATIVE_TRAINJOB_RECONCILE_H_
