#include <re2/re2.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/log.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/readers.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

namespace ray = kubernetes::ray::v1;

// One condition of any kind, or one state field.
struct Said {
  // Source in the tables: "Job", "JobSet", ...
  std::string_view source;
  std::string_view state;
  // What was sent for the state; empty: the state itself.
  std::string_view shown;
  // Tried before the state.
  std::string_view reason;
  std::string_view message;
  Seconds at = kUnknownTime;
  Place place;
  const char* message_leaf = ".message";
};

class OperatorReader {
 public:
  OperatorReader(const Context& context, Candidates& facts)
      : context_(context), facts_(facts) {}

  void ReadJobs() {
    const int newest = NewestRestartAttempt(context_.report);
    for (int i = 0; i < context_.report.jobs_size(); ++i) {
      const auto& job = context_.report.jobs(i);
      // Of an earlier attempt of its JobSet, and on its way out.
      const int attempt = RestartAttemptOf(job.metadata());
      if (attempt >= 0 && attempt < newest) continue;
      const std::size_t before = facts_.size();
      ReadConditions(job.status().conditions(), "Job", Root::kJobs, i);
      ReadSuspend(job.spec(), job.status(),
                  {Root::kJobs, i, "", -1, ".spec.suspend"});
      if (facts_.size() == before) ReadCounts(i);
      // A child is deleted by its owner.
      if (!context_.report.has_job_set() && !context_.report.has_ray_job()) {
        ReadDeletion(job.metadata(), Root::kJobs, i);
      }
    }
  }

  void ReadRayJob() {
    ReadRayCluster(context_.report.ray_cluster().status(), Root::kRayCluster,
                   ".status.conditions");
    const ray::RayJob& job = context_.report.ray_job();
    const ray::RayJobStatus& status = job.status();
    Said said;
    said.source = "RayJob";
    said.message = status.message();
    said.message_leaf = ".status.message";
    said.at = ToSeconds(status.end_time());
    said.place = {Root::kRayJob, -1, "", -1, ".status.jobDeploymentStatus"};
    const std::string& deployment = status.job_deployment_status();
    // Until KubeRay 1.1 a failed application ended as Complete; since then a
    // reason on a Complete job is no failure.
    const bool failed = status.job_status() == "FAILED";
    // The submitter is late, the application has succeeded.
    const bool late =
        deployment == "Failed" && status.job_status() == "SUCCEEDED" &&
        status.reason() == "JobDeploymentStatusTransitionGracePeriodExceeded";
    const bool complete = late || (deployment == "Complete" && !failed);
    said.state = deployment;
    if (late) said.state = "Complete";
    if (status.job_status() == "STOPPED") {
      said.state = "STOPPED";
      said.place.leaf = ".status.jobStatus";
    } else if (deployment == "Suspending") {
      said.state = "Suspended";
    } else if (!complete && deployment != "Suspended") {
      if (failed && deployment != "ValidationFailed") said.state = "Failed";
      said.reason = status.reason();
      if (!said.reason.empty()) {
        said.place.leaf = ".status.reason";
      } else if (failed) {
        said.place.leaf = ".status.jobStatus";
      }
    }
    const std::size_t before = facts_.size();
    Add(said);
    // What it retries now is whatever failed so far.
    if (deployment == "Retrying") {
      for (std::size_t i = before; i < facts_.size(); ++i) {
        facts_[i].flags |= kRestarting;
        facts_[i].at = kUnknownTime;
      }
    }
    if (job.spec().suspend() && !complete && deployment != "Failed") {
      AddSign(facts_, "suspend-requested",
              {Root::kRayJob, -1, "", -1, ".spec.suspend"}, "true");
    }
    ReadRayCluster(status.ray_cluster_status(), Root::kRayJob,
                   ".status.rayClusterStatus.conditions");
    ReadDeletion(job.metadata(), Root::kRayJob, -1);
  }

  void ReadSpark() {
    const auto& application = context_.report.spark_application();
    const auto& state = application.status().application_state();
    Said said;
    said.source = "Spark";
    said.state = state.state();
    said.message = state.error_message();
    // What is run again is whatever failed so far.
    if (state.state() != "PENDING_RERUN") {
      said.at = ToSeconds(application.status().termination_time());
    }
    said.place = {Root::kSpark, -1, "", -1, ".status.applicationState.state"};
    said.message_leaf = ".status.applicationState.errorMessage";
    Add(said);
    static const re2::RE2* const exit =
        new re2::RE2("failed with ExitCode: (-?\\d+)");
    int code = 0;
    if (!said.message.empty() &&
        re2::RE2::PartialMatch(
            re2::StringPiece(said.message.data(), said.message.size()), *exit,
            &code) &&
        code != 0) {
      Place place = said.place;
      place.leaf = said.message_leaf;
      AddFact(facts_, "exit-code", FindExitCode(code, ExitContext::kSpark),
              place, {}, said.at)
          .number = code;
    }
    ReadDeletion(application.metadata(), Root::kSpark, -1);
  }

  void ReadKubeflow() {
    const auto& job = context_.report.kubeflow_job();
    ReadConditions(job.status().conditions(), "Kubeflow", Root::kKubeflow, -1);
    ReadSuspend(job.spec().run_policy(), job.status(),
                {Root::kKubeflow, -1, "", -1, ".spec.runPolicy.suspend"});
    ReadDeletion(job.metadata(), Root::kKubeflow, -1);
  }

  // A JobSet or TrainJob.
  void ReadObject(const auto& object, std::string_view source, Root root) {
    ReadConditions(object.status().conditions(), source, root, -1);
    ReadSuspend(object.spec(), object.status(),
                {root, -1, "", -1, ".spec.suspend"});
    ReadDeletion(object.metadata(), root, -1);
  }

 private:
  // Without completions (a work queue) the first success is the last, once
  // nothing runs any more.
  static bool AllSucceeded(const kubernetes::batch::v1::Job& job) {
    const auto& status = job.status();
    const std::int64_t succeeded =
        std::int64_t{status.succeeded()} +
        status.uncounted_terminated_pods().succeeded_size();
    const bool queue =
        !job.spec().has_completions() && job.spec().has_parallelism();
    return queue ? succeeded > 0 && status.active() == 0 &&
                       status.terminating() == 0
                 : succeeded >= std::max(job.spec().completions(), 1);
  }

  // Adds the row of reason or state, refined by the message.
  void Add(const Said& said) {
    Place message = said.place;
    message.leaf = said.message_leaf;
    if (!said.message.empty()) {
      context_.AddUserSignature(facts_, v1::Signature::OPERATOR_MESSAGE,
                                said.message, std::nullopt, message, said.at);
    }
    const Signature* row = FindOperatorState(said.source, said.reason);
    std::string_view value = said.reason;
    if (row == nullptr) {
      row = FindOperatorState(said.source, said.state);
      if (said.reason.empty()) {
        value = said.shown.empty() ? said.state : said.shown;
      }
    }
    if (row == nullptr) return;
    AddFact(facts_, "operator", *row, said.place, value, said.at);
    // A hint decides nothing, and neither do its words.
    if (!said.message.empty() && row->tier > Tier::kHint) {
      AddMessage(said, message);
    }
  }

  // Messages say more where the state is only a summary.
  void AddMessage(const Said& said, const Place& place) {
    const Candidate state = facts_.back();
    if (state.row->key == "Job/PodFailurePolicy") {
      ReadPolicyMessage(said);
    } else if (state.cause == v1::API_TRANSIENT) {
      AddCreation(said);
    } else if (state.tier <= Tier::kConvention) {
      if (state.cause == v1::LAUNCHER_FAILED) AddCreation(said);
      if (AddText(facts_, OperatorTexts(), said.message, place, said.at) ==
          nullptr) {
        AddLog(facts_, said.message, place, said.at);
      }
    }
  }

  void AddCreation(const Said& said) {
    Place place = said.place;
    place.leaf = said.message_leaf;
    const std::size_t before = facts_.size();
    const Signature* text =
        AddText(facts_, CreationTexts(), said.message, place, said.at);
    if (text == nullptr) return;
    // A text about creation refines the state, it does not outrank it.
    facts_[before].tier = text->confidence == v1::Diagnosis::HIGH
                              ? Tier::kDecisive
                              : Tier::kSpecific;
    facts_[before].PutAheadOf(facts_[before].row->weight);
  }

  // The Job controller's fixed sentences are the only place that tells which
  // kind of rule matched.
  void ReadPolicyMessage(const Said& said) {
    static const re2::RE2* const condition =
        new re2::RE2("^Pod \\S+ has condition (\\S+) matching FailJob rule");
    std::string type;
    if (!re2::RE2::PartialMatch(
            re2::StringPiece(said.message.data(), said.message.size()),
            *condition, &type)) {
      return;
    }
    Candidate& state = facts_.back();
    const Signature* row = FindSpecialSign(
        type == "DisruptionTarget" ? "policy-disruption" : "policy-condition");
    state.row = row;
    state.table = "sign";
    state.cause = row->cause;
    state.confidence = row->confidence;
    state.tier = row->tier;
  }

  // The Job controller counts before it writes a condition: all completions are
  // there, or pods failed, none is left and none is active (between two
  // attempts).
  void ReadCounts(int index) {
    const auto& job = context_.report.jobs(index);
    const auto& status = job.status();
    if (AllSucceeded(job)) {
      AddFact(facts_, "operator", *FindOperatorState("Job/Complete"),
              {Root::kJobs, index, "", -1, ".status.succeeded"}, {})
          .number = status.succeeded();
      return;
    }
    if (!context_.report.pods().empty() || status.failed() <= 0 ||
        status.active() > 0 || status.terminating() > 0) {
      return;
    }
    AddFact(facts_, "operator", *FindOperatorState("Job/PodsFailed"),
            {Root::kJobs, index, "", -1, ".status.failed"}, {})
        .number = status.failed();
  }

  void ReadConditions(const auto& conditions, std::string_view source,
                      Root root, int index) {
    for (int i = 0; i < conditions.size(); ++i) {
      const auto& condition = conditions[i];
      // Cut-down reports leave the status out.
      const bool holds =
          condition.status() == "True" || condition.status().empty();
      const bool not_created =
          condition.type() == "Created" && condition.status() == "False";
      if (!holds && !not_created) continue;
      Said said;
      said.source = source;
      said.state = condition.type();
      said.shown = condition.type();
      said.reason = condition.reason();
      said.message = condition.message();
      said.at = ToSeconds(condition.last_transition_time());
      said.place = {root, index, ".status.conditions", i,
                    said.reason.empty() ? ".type" : ".reason"};
      // FailureTarget announces what Failed will say.
      if (said.state == "FailureTarget") said.state = "Failed";
      Add(said);
    }
  }

  void ReadRayCluster(const ray::RayClusterStatus& status, Root root,
                      const char* list) {
    // Releases before the conditions said it here.
    const bool own = root == Root::kRayCluster;
    const bool failed = status.state() == "failed";
    if (failed || (own && status.state() == "suspended")) {
      Said said;
      said.source = "RayCluster";
      said.state = failed ? "ReplicaFailure" : "Suspended";
      said.shown = status.state();
      said.message = status.reason();
      said.place = {root, -1, "", -1,
                    own ? ".status.state" : ".status.rayClusterStatus.state"};
      said.message_leaf =
          own ? ".status.reason" : ".status.rayClusterStatus.reason";
      Add(said);
    }
    for (int i = 0; i < status.conditions_size(); ++i) {
      const auto& condition = status.conditions(i);
      Said said;
      said.source = "RayCluster";
      said.at = ToSeconds(condition.last_transition_time());
      said.message = condition.message();
      said.shown = condition.type();
      said.place = {root, -1, list, i, ".type"};
      if (condition.type() == "HeadPodReady" && condition.status() == "False") {
        said.state = "HeadPodReady=False";
      } else if (condition.status() != "True") {
        continue;
      } else if (condition.type() == "ReplicaFailure") {
        said.state = "ReplicaFailure";
      } else if (condition.type() == "RayClusterSuspended" ||
                 condition.type() == "RayClusterSuspending") {
        said.state = "Suspended";
      } else {
        continue;
      }
      Add(said);
    }
  }

  void ReadSuspend(const auto& spec, const auto& status, const Place& place) {
    if (!spec.suspend() || HasEnded(status.conditions())) return;
    AddSign(facts_, "suspend-requested", place, "true");
  }

  void ReadDeletion(const auto& metadata, Root root, int index) {
    const Seconds at = ToSeconds(metadata.deletion_timestamp());
    if (!Known(at)) return;
    AddSign(facts_, "object-deleted",
            {root, index, "", -1, ".metadata.deletionTimestamp"}, "set", at);
  }

  const Context& context_;
  Candidates& facts_;
};

}  // namespace

void ReadOperators(const Context& context, Candidates& facts) {
  // Of those that are absent there is nothing to read.
  const v1::FailureReport& report = context.report;
  OperatorReader reader(context, facts);
  reader.ReadJobs();
  reader.ReadObject(report.job_set(), "JobSet", Root::kJobSet);
  reader.ReadRayJob();
  reader.ReadObject(report.train_job(), "TrainJob", Root::kTrainJob);
  reader.ReadSpark();
  reader.ReadKubeflow();
}

}  // namespace mulligan::demystify
