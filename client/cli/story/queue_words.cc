#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/story/problems.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

constexpr char kQueueLabel[] = "kueue.x-k8s.io/queue-name";

// Words of Kueue and what to do about them. {workload} is the Workload, {ask}
// the command that shows it, {queue} the queue, \1 the pattern's first group.
struct QueueForm {
  const char* pattern;
  const char* remedy;
};

constexpr QueueForm kForms[] = {
    {"(?i)> maximum capacity",
     "ask for less, or raise the nominal quota of {queue}: it never fits as it "
     "is"},
    {"(?i)LocalQueue (\\S+) doesn't exist",
     "create LocalQueue \\1{space}, or correct the label "
     "kueue.x-k8s.io/queue-name"},
    {"(?i)ClusterQueue (\\S+) doesn't exist",
     "create ClusterQueue \\1, or correct the LocalQueue that names it"},
    {"(?i)(?:LocalQueue|ClusterQueue) (\\S+) is inactive",
     "see why queue \\1 is not active: kubectl describe "
     "clusterqueue,localqueue "
     "-A"},
    {"(?i)re-?queuing (?:retries|limit)|requeuinglimit|number of re-queu",
     "find out why its pods do not become ready, then set spec.active of "
     "{workload} to true"},
    {"(?i)deactivated",
     "see why it was deactivated, then set spec.active of {workload} to true: "
     "{ask}"},
    {"(?i)PodsReady timeout",
     "see why its pods do not become ready in time: {ask}"},
    {"(?i)preempted",
     "nothing now; raise its priority if the queue evicts it "
     "too often"},
    {"", "see what {queue} waits for: {ask}"},
};

template <typename Object>
std::string QueueIn(const Object& object) {
  const auto& labels = object.metadata().labels();
  const auto found = labels.find(kQueueLabel);
  return found == labels.end() ? "" : found->second;
}

std::string QueueOf(const v1::FailureReport& report) {
  std::string queue = report.kueue_workload().spec().queue_name();
  for (const std::string& label :
       {QueueIn(report.job_set()), QueueIn(report.ray_job()),
        QueueIn(report.train_job()), QueueIn(report.kubeflow_job()),
        QueueIn(report.spark_application())}) {
    if (queue.empty()) queue = label;
  }
  for (const auto& job : report.jobs()) {
    if (queue.empty()) queue = QueueIn(job);
  }
  for (const auto& pod : report.pods()) {
    if (queue.empty()) queue = QueueIn(pod);
  }
  return queue;
}

// Of the condition that tells most: why it was deactivated or evicted before
// why it waits.
std::string SaidBy(const v1::FailureReport& report) {
  const auto& conditions = report.kueue_workload().status().conditions();
  for (const std::string_view type :
       {"DeactivationTarget", "Evicted", "QuotaReserved"}) {
    for (const auto& condition : conditions) {
      const bool tells =
          condition.status() == (type == "QuotaReserved" ? "False" : "True");
      if (condition.type() == type && tells) return condition.message();
    }
  }
  return "";
}

// Of the workload a controller says it made: "Created Workload: ml/job-a-1b2".
std::string NameOfWorkload(const v1::FailureReport& report) {
  static const RE2 kCreated("Created Workload: (?:[^/\\s]+/)?(\\S+)");
  std::string name = report.kueue_workload().metadata().name();
  for (const auto& event : report.events()) {
    if (name.empty()) RE2::PartialMatch(event.message(), kCreated, &name);
  }
  return name;
}

std::string AskCommand(const std::string& workload, const Particulars& found) {
  const std::string space = found.space.empty() ? "" : " -n " + found.space;
  return workload.empty()
             ? absl::StrCat("kubectl get workloads", space)
             : absl::StrCat("kubectl describe workload", space, " ", workload);
}

std::string RemedyFor(const std::string& said, const std::string& queue,
                      const std::string& workload, const Particulars& found) {
  for (const QueueForm& form : kForms) {
    const RE2 pattern(form.pattern);
    re2::StringPiece groups[2];
    const int count = pattern.NumberOfCapturingGroups() + 1;
    if (!pattern.Match(said, 0, said.size(), RE2::UNANCHORED, groups, count)) {
      continue;
    }
    return absl::StrReplaceAll(
        form.remedy,
        {{"\\1", count > 1 ? groups[1].as_string() : ""},
         {"{queue}", Named("queue", queue)},
         {"{workload}", Named("Workload", workload)},
         {"{space}", found.space.empty() ? "" : " in namespace " + found.space},
         {"{ask}", AskCommand(workload, found)}});
  }
  return "";
}

}  // namespace

void FindQueueProblem(const v1::FailureReport& report,
                      const v1::Diagnosis& diagnosis, Particulars& found) {
  if (diagnosis.cause() != v1::SUSPENDED &&
      diagnosis.cause() != v1::START_TIMEOUT) {
    return;
  }
  const std::string queue = QueueOf(report);
  const std::string said = SaidBy(report);
  if (queue.empty() && said.empty()) return;
  if (!said.empty()) {
    found.problem = absl::StrCat("Kueue says: ", said);
  } else {
    found.problem = absl::StrCat("it is suspended; Kueue's queue ", queue,
                                 " holds it, and only its Workload says why");
  }
  found.remedy = RemedyFor(said, queue, NameOfWorkload(report), found);
}

std::string QueueRemark(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis) {
  if (diagnosis.situation() != v1::Diagnosis::BROKEN) return "";
  for (const auto& condition : report.kueue_workload().status().conditions()) {
    if (condition.type() == "Evicted" && condition.status() == "True") {
      return condition.message();
    }
  }
  return "";
}

}  // namespace mulligan::cli
