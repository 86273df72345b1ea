#include "policy/native/trainjob/reconcile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/native/jobset/objects.h"
#include "policy/native/objects.h"

namespace mulligan::trainjob {
namespace {

using ::google::protobuf::Timestamp;
using RuntimeRef = kubernetes::trainer::v1alpha1::RuntimeRef;

constexpr std::string_view kKep2170 = "kep-2170";
constexpr int kMajor = 2;
// Later releases are treated as the default branch.
constexpr int kLatestMinor = 3;

// Texts that only builders of objects write, not an API server.
constexpr std::array<std::string_view, 7> kBuildTexts = {
    "invalid runtime snapshot",
    "unsupported runtime",
    "runtime info or object is missing",
    "TrainingRuntime specified in TrainJob is not found",
    "not found specified TrainingRuntime",
    "not found specified ClusterTrainingRuntime",
    "failed to build",
};

// Terminal conditions of a JobSet and of a TrainJob.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEnds = {
    {{jobset::kCompleted, kComplete}, {jobset::kFailed, kFailed}}};

bool IsFinished(const Conditions& conditions) {
  return IsTrue(conditions, kComplete) || IsTrue(conditions, kFailed);
}

// Returns "TrainingRuntime.trainer.kubeflow.org"; the API server's defaults
// replace an absent kind or group.
std::string RuntimeKindOf(const RuntimeRef& ref) {
  return absl::StrCat(
      ref.kind().empty() ? "ClusterTrainingRuntime" : ref.kind(), ".",
      ref.api_group().empty() ? "trainer.kubeflow.org" : ref.api_group());
}

// Returns whether this controller has a runtime of the kind.
bool IsRuntimeSupported(const std::string& kind) {
  return kind == "ClusterTrainingRuntime.trainer.kubeflow.org" ||
         kind == "TrainingRuntime.trainer.kubeflow.org";
}

// Errors of more than 950 bytes are cut after 950 UTF-8 characters.
std::string ResourcesFailedMessage(const std::string& error) {
  constexpr std::size_t kMaxLength = 950;
  std::size_t characters = 0;
  const auto end = std::ranges::find_if(error, [&](char byte) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    return !continues && ++characters > kMaxLength;
  });
  return absl::StrCat("TrainJob resources reconciliation failed: ",
                      std::string(error.begin(), end),
                      error.size() > kMaxLength ? " ..." : "");
}

// Before #3891, a failure was forgotten.
void DropFailed(Conditions& conditions) {
  const auto end = std::remove_if(
      conditions.begin(), conditions.end(), [](const Condition& condition) {
        return condition.type() == kFailed &&
               condition.reason() != kDeadlineExceeded;
      });
  conditions.erase(end, conditions.end());
}

// A job that was never suspended lacks the condition, except in KEP-2170's
// design.
void SetSuspended(const Observed& observed, Conditions& conditions) {
  if (observed.train_job.spec().suspend()) {
    SetCondition(kSuspended, kTrue, "Suspended", "TrainJob is suspended",
                 observed.now, conditions);
  } else if (observed.version.created_condition ||
             IsTrue(conditions, kSuspended)) {
    SetCondition(kSuspended, kFalse, "Resumed", "TrainJob is resumed",
                 observed.now, conditions);
  }
}

// Condition Created as designed in KEP-2170, in enum order of Objects.
struct CreatedRow {
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};
constexpr std::array<CreatedRow, 3> kCreatedRows = {{
    {kTrue, "JobsCreationSucceeded", "Succeeded to create Jobs"},
    {kFalse, "JobsBuildFailed", "Failed to build Jobs"},
    {kFalse, "JobsCreationFailed", "Failed to create Jobs"},
}};

// Copies Completed and Failed with reason and message, and the group counts. A
// failed child Job alone does not fail the TrainJob, because a restart may
// follow.
void CopyJobSetStatus(const Observed& observed, TrainJobStatus& status) {
  const auto& job_set_status = observed.job_set->status();
  for (const auto& [type, ours] : kEnds) {
    const Condition* const end =
        FindCondition(job_set_status.conditions(), type);
    if (end == nullptr || end->status() != kTrue) continue;
    SetCondition(ours, kTrue, end->reason(), end->message(), observed.now,
                 *status.mutable_conditions());
    if (observed.version.first_release) break;
  }
  status.clear_jobs_status();
  if (observed.version.first_release) return;
  for (const auto& group : job_set_status.replicated_jobs_status()) {
    auto& counts = *status.add_jobs_status();
    counts.set_succeeded(group.succeeded());
    counts.set_failed(group.failed());
    counts.set_active(group.active());
  }
}

// Applies spec.activeDeadlineSeconds, counted from the last resume, else from
// the TrainJob's creation; JobSet restarts do not extend it. None while
// suspended, after the end, or without a start time. The JobSet is then deleted
// and never recreated.
void CheckDeadline(const Observed& observed, Conditions& conditions) {
  const auto& spec = observed.train_job.spec();
  if (observed.version.first_release || spec.active_deadline_seconds() == 0 ||
      spec.suspend() || IsFinished(conditions)) {
    return;
  }
  const Condition* const suspended = FindCondition(conditions, kSuspended);
  const bool resumed = suspended != nullptr && suspended->status() == kFalse;
  const Timestamp& start =
      resumed ? suspended->last_transition_time()
              : observed.train_job.metadata().creation_timestamp();
  const absl::Time deadline =
      ToTime(start) + absl::Seconds(spec.active_deadline_seconds());
  if (IsZeroTime(start) || ToTime(observed.now) <= deadline) return;
  SetCondition(kFailed, kTrue, kDeadlineExceeded,
               "TrainJob exceeded its active deadline", observed.now,
               conditions);
}

}  // namespace

Version Kep2170() {
  Version version;
  version.created_condition = true;
  version.failed_is_final = false;
  return version;
}

Setup<Version> VersionFor(const v1::NativeSemantics& semantics) {
  Setup<Version> setup;
  setup.semantics = "trainer 2026-08";
  const auto* const version = FindValue(semantics.versions(), "trainer");
  if (version == nullptr) return setup;
  if (*version == kKep2170) {
    setup.settings = Kep2170();
    setup.semantics = "trainer kep-2170";
  } else if (const auto minor = MinorOf(*version, kMajor);
             minor.has_value() && *minor <= kLatestMinor) {
    setup.settings.failed_is_final = false;
    setup.settings.first_release = *minor == 0;
    setup.semantics = absl::StrFormat("trainer 2.%d", *minor);
  } else {
    setup.warnings.push_back(absl::StrFormat(
        "versions.trainer: '%s' is neither kep-2170 nor a release up to 2.%d; "
        "the semantics of the default branch in 2026-08 are used",
        *version, kLatestMinor));
  }
  return setup;
}

void SetCondition(std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message,
                  const Timestamp& now, Conditions& conditions) {
  const auto found = std::ranges::find_if(
      conditions,
      [&](const Condition& present) { return present.type() == type; });
  Condition& target = found == conditions.end() ? *conditions.Add() : *found;
  if (target.status() != status) *target.mutable_last_transition_time() = now;
  target.set_type(std::string(type));
  target.set_status(std::string(status));
  target.set_reason(std::string(reason));
  target.set_message(std::string(message));
}

Objects ObjectsAfter(const v1::CreationError& error) {
  if (error.phase() == v1::CreationError::BUILD) return Objects::kBuildFailed;
  if (error.phase() == v1::CreationError::CREATE || error.http_code() != 0) {
    return Objects::kCreationFailed;
  }
  const bool built =
      std::ranges::none_of(kBuildTexts, [&](std::string_view text) {
        return error.message().find(text) != std::string::npos;
      });
  return built ? Objects::kCreationFailed : Objects::kBuildFailed;
}

Pass Reconcile(const Observed& observed) {
  Pass pass;
  pass.status = observed.train_job.status();
  Conditions& conditions = *pass.status.mutable_conditions();
  if (observed.version.first_release && IsFinished(conditions)) return pass;
  if (!observed.version.failed_is_final) DropFailed(conditions);
  const auto& spec = observed.train_job.spec();
  const std::string runtime = RuntimeKindOf(spec.runtime_ref());
  const bool supported = IsRuntimeSupported(runtime);
  const bool was_finished = IsFinished(conditions);
  if (!supported) {
    SetCondition(kFailed, kTrue, "TrainingRuntimeNotSupported",
                 "unsupported runtime: " + runtime, observed.now, conditions);
  } else if (!was_finished && observed.objects != Objects::kReady) {
    pass.event = ResourcesFailedMessage(observed.error);
  } else if (!was_finished) {
    pass.applies_job_set = observed.job_set == nullptr || spec.suspend() ||
                           observed.job_set->spec().suspend();
  }
  SetSuspended(observed, conditions);
  if (!supported) return pass;
  if (observed.version.created_condition && !was_finished) {
    const auto& row =
        kCreatedRows.at(static_cast<std::size_t>(observed.objects));
    SetCondition(kCreated, row.status, row.reason, row.message, observed.now,
                 conditions);
  }
  if (observed.job_set != nullptr) CopyJobSetStatus(observed, pass.status);
  CheckDeadline(observed, conditions);
  return pass;
}

}  // namespace mulligan::trainjob
