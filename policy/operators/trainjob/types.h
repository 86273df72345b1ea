// Short names for what the TrainJob controller's logic is about.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_TYPES_H_

#include <string_view>

#include "google/protobuf/repeated_field.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/meta/v1/condition.pb.h"
#include "mulligan/kubernetes/trainer/v1alpha1/train_job.pb.h"

namespace mulligan::trainjob {

using TrainJob = kubernetes::trainer::v1alpha1::TrainJob;
using TrainJobSpec = kubernetes::trainer::v1alpha1::TrainJobSpec;
using TrainJobStatus = kubernetes::trainer::v1alpha1::TrainJobStatus;
using TrainerStatus = kubernetes::trainer::v1alpha1::TrainerStatus;
using RuntimeRef = kubernetes::trainer::v1alpha1::RuntimeRef;
using JobSet = kubernetes::jobset::v1alpha2::JobSet;
using Condition = kubernetes::meta::v1::Condition;
using Conditions = google::protobuf::RepeatedPtrField<Condition>;

inline constexpr std::string_view kGroup = "trainer.kubeflow.org";

// Condition types. Created only by releases that follow KEP-2170 as designed.
inline constexpr std::string_view kCreated = "Created";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

// Reasons of Created.
inline constexpr std::string_view kJobsCreationSucceeded =
    "JobsCreationSucceeded";
inline constexpr std::string_view kJobsBuildFailed = "JobsBuildFailed";
inline constexpr std::string_view kJobsCreationFailed = "JobsCreationFailed";
// Reasons of Failed; the others are the JobSet's.
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";
inline constexpr std::string_view kRuntimeNotSupported =
    "TrainingRuntimeNotSupported";

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_TYPES_H_
