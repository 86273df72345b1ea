// What the status of a RayJob or a SparkApplication tells where it is given
// without pods: its words, how often it was tried, and whose log to read.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/story/commands.h"
#include "client/cli/story/particulars.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kDriver = "spark-kubernetes-driver";

// Retries are one try less.
std::string Tries(std::string_view what, int made, int retries) {
  if (made <= 0) return "";
  return absl::StrFormat("%s %d of %d", what, made,
                         std::max<long long>(made, 1LL + retries));
}

// Whose memory, by the words of the operator: the driver's, or executors'.
void FindSparkMemory(
    const kubernetes::spark::v1beta2::SparkApplicationSpec& spec,
    Particulars& found) {
  const bool driver = found.words.find("driver") != std::string::npos;
  const std::string_view role = driver ? "driver" : "executor";
  const std::string& memory =
      driver ? spec.driver().memory() : spec.executor().memory();
  found.remedy = absl::StrFormat(
      "raise spec.%s.memory%s, or spec.%s.memoryOverhead where it is not the "
      "heap",
      role, memory.empty() ? "" : ", now " + memory, role);
}

void ReadSpark(const v1::FailureReport& report, v1::Cause cause,
               Particulars& found) {
  const auto& application = report.spark_application();
  const auto& status = application.status();
  const auto& policy = application.spec().restart_policy();
  const bool retries = policy.type() == "OnFailure";
  found.words = status.application_state().error_message();
  const std::string& driver = status.driver_info().pod_name();
  if (!driver.empty()) {
    found.logs = LogCommand({found.space, driver, std::string(kDriver)});
  }
  found.tries =
      status.execution_attempts() > 0
          ? Tries("run", status.execution_attempts(),
                  retries ? policy.on_failure_retries() : 0)
          : Tries("submission", status.submission_attempts(),
                  retries ? policy.on_submission_failure_retries() : 0);
  if (cause == v1::CONTAINER_OOM) FindSparkMemory(application.spec(), found);
}

void ReadRayJob(const v1::FailureReport& report, v1::Cause /*cause*/,
                Particulars& found) {
  const auto& job = report.ray_job();
  const auto& status = job.status();
  found.words = status.message();
  const std::string& mode = job.spec().submission_mode();
  const std::string command =
      absl::StrCat("kubectl logs", InNamespace(found.space), " ");
  if (mode.empty() || mode == "K8sJobMode") {
    // The submitter Job has the name of its RayJob, and what the application
    // wrote.
    found.logs = command + ShellWord("job/" + job.metadata().name());
  } else if (!status.ray_cluster_name().empty()) {
    found.logs =
        command + "-l " +
        ShellWord(absl::StrCat("ray.io/cluster=", status.ray_cluster_name(),
                               ",ray.io/node-type=head"));
  }
  found.tries = Tries("attempt", status.failed(), job.spec().backoff_limit());
}

struct ObjectForm {
  std::string_view kind;
  void (*read)(const v1::FailureReport& report, v1::Cause cause,
               Particulars& found);
};

constexpr ObjectForm kObjectForms[] = {
    {"SparkApplication", ReadSpark},
    {"RayJob", ReadRayJob},
};

}  // namespace

void FindObjectWords(const v1::FailureReport& report,
                     const v1::Diagnosis& diagnosis, Particulars& found) {
  if (diagnosis.situation() != v1::Diagnosis::BROKEN || !found.pod.empty()) {
    return;
  }
  for (const ObjectForm& form : kObjectForms) {
    if (form.kind == diagnosis.culprit().kind()) {
      form.read(report, diagnosis.cause(), found);
    }
  }
}

}  // namespace mulligan::cli
