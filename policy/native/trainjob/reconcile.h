// Releases of Kubeflow Trainer, its unreleased original design, and one pass of
// the TrainJob controller.
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

// Differences that change the outcome of a failure. Defaults: the default
// branch in August 2026 (8c0f5059b).
struct Version {
  // KEP-2170 as designed (#2298, #2322): condition Created, whose reason says
  // whether building or creating the objects failed, and condition Suspended on
  // every job. Removed before release 2.0 (#2621).
  bool created_condition = false;
  // Since #3891 (2026-08, after release 2.3). Before, every pass dropped Failed
  // unless its reason was DeadlineExceeded, so that a failed job without its
  // JobSet got a new one with a new budget, forever (#3779, #3737).
  bool failed_is_final = true;
  // Release 2.0: a finished TrainJob is never examined again, nor a completed
  // JobSet for failure; no managedBy, deadline or jobsStatus.
  bool first_release = false;
};

// Reads versions["trainer"]: "kep-2170" or a release ("2.2", "v2.1.0"); absent:
// the default branch.
Setup<Version> VersionFor(const v1::NativeSemantics& semantics);

// Returns the semantics of KEP-2170.
Version Kep2170();

// Condition types. Only releases that follow KEP-2170 set Created: False is
// neither terminal nor counted, because the controller waits for a corrected
// TrainJob.
inline constexpr std::string_view kCreated = "Created";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

// A reason of Failed; all others are the JobSet's.
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";

// Adds the condition, or changes the one of its type in place.
// lastTransitionTime changes with the status.
void SetCondition(std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message,
                  const google::protobuf::Timestamp& now,
                  Conditions& conditions);

// The result of building and applying the objects.
enum class Objects {
  kReady,
  // The runtime's plugins could not build them from the TrainJob and its
  // runtime. Deterministic.
  kBuildFailed,
  // Built, but refused by the API server or a webhook.
  kCreationFailed,
};

// Classifies an error reported by a controller. Without a phase, it is a
// creation failure if the API server answered or if no builder writes such a
// text; else the builders' texts decide.
Objects ObjectsAfter(const v1::CreationError& error);

struct Observed {
  const TrainJob& train_job;
  const Version& version;
  google::protobuf::Timestamp now;
  // Null if there is none.
  const JobSet* job_set = nullptr;
  Objects objects = Objects::kReady;
  // Set if building or creating failed.
  std::string error = {};
};

struct Pass {
  TrainJobStatus status;
  // A JobSet is created or updated.
  bool applies_job_set = false;
  // Message of the warning event TrainJobResourcesCreationFailed; may be empty.
  // Today it is the only trace of a failure to build or create the objects:
  // there is no condition or counter, and the pass repeats forever with growing
  // delays.
  std::string event;
};

// In this order: an unknown runtime fails the job; unless finished, the objects
// are built and applied (a JobSet only if it is absent or if it or the TrainJob
// is suspended); conditions Suspended and, as designed, Created; the JobSet's
// terminal conditions and counts; the deadline. REQUIRES: no other controller
// manages the job.
Pass Reconcile(const Observed& observed);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_NATIVE_TRAINJOB_RECONCILE_H_
