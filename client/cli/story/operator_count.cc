// How often an operator that gave up by its own count had tried, where its
// verdict is that of an object that is at its end and counts nothing any more.
#include <string_view>

#include "client/cli/story/story.h"

namespace mulligan::cli {
namespace {

void SetLimit(std::string_view name, long long used, long long limit,
              Side& side) {
  side.limit_name = name;
  side.used = used;
  side.limit = limit;
}

void TriesOfJobSet(const v1::FailureReport& report, Side& side) {
  const auto& job_set = report.job_set();
  SetLimit("maxRestarts", job_set.status().restarts_count_towards_max(),
           job_set.spec().failure_policy().max_restarts(), side);
}

void TriesOfSpark(const v1::FailureReport& report, Side& side) {
  const auto& policy = report.spark_application().spec().restart_policy();
  const auto& status = report.spark_application().status();
  if (policy.type() != "OnFailure") return;
  // A try beyond the retries; a submission that succeeds is a run.
  if (status.execution_attempts() > policy.on_failure_retries()) {
    SetLimit("onFailureRetries", status.execution_attempts() - 1,
             policy.on_failure_retries(), side);
  } else if (status.submission_attempts() >
             policy.on_submission_failure_retries()) {
    SetLimit("onSubmissionFailureRetries", status.submission_attempts() - 1,
             policy.on_submission_failure_retries(), side);
  }
}

// The status does not keep the count, only that the limit was met.
void TriesOfTrainingJob(const v1::FailureReport& report, Side& side) {
  const auto limit = report.kubeflow_job().spec().run_policy().backoff_limit();
  SetLimit("backoffLimit", limit, limit, side);
}

struct OwnCount {
  // What reason or message of the verdict must hold; empty: anything.
  std::string_view words;
  bool (v1::FailureReport::*has)() const;
  void (*count)(const v1::FailureReport& report, Side& side);
};

constexpr OwnCount kOwnCounts[] = {
    {"ReachedMaxRestarts", &v1::FailureReport::has_job_set, TriesOfJobSet},
    {"", &v1::FailureReport::has_spark_application, TriesOfSpark},
    {"specified backoff limit", &v1::FailureReport::has_kubeflow_job,
     TriesOfTrainingJob},
};

}  // namespace

void FindOwnCount(const v1::FailureReport& report,
                  const v1::NativeVerdict& native, Side& side) {
  if (!side.limit_name.empty() || native.action() != v1::Decision::FAIL) return;
  for (const OwnCount& row : kOwnCounts) {
    const bool said = native.reason().find(row.words) != std::string::npos ||
                      native.message().find(row.words) != std::string::npos;
    if ((report.*row.has)() && said) return row.count(report, side);
  }
}

}  // namespace mulligan::cli
