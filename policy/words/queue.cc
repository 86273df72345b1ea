// Advice for work held in a Kueue queue.
#include "absl/strings/str_cat.h"
#include "policy/base/shell.h"
#include "policy/words/remedies.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

// Returns the message of the most informative condition: deactivation or
// eviction before the reason for waiting.
std::string QueueMessage(const v1::FailureReport& report) {
  const auto& conditions = report.kueue_workload().status().conditions();
  for (const std::string_view type :
       {"DeactivationTarget", "Evicted", "QuotaReserved"}) {
    for (const auto& condition : conditions) {
      const bool explains =
          condition.status() == (type == "QuotaReserved" ? "False" : "True");
      if (condition.type() == type && explains) return condition.message();
    }
  }
  // With quota, it waits for its admission checks.
  for (const auto& check :
       report.kueue_workload().status().admission_checks()) {
    if (check.state() != "Ready" && !check.message().empty()) {
      return absl::StrCat("admission check ", check.name(), ": ",
                          check.message());
    }
  }
  return "";
}

// Falls back to an event: "Created Workload: ml/job-a-1b2".
std::string NameOfWorkload(const v1::FailureReport& report) {
  static const RE2 kCreated("Created Workload: (?:[^/\\s]+/)?(\\S+)");
  std::string name = report.kueue_workload().metadata().name();
  for (const auto& event : report.events()) {
    if (name.empty()) RE2::PartialMatch(event.message(), kCreated, &name);
  }
  return name;
}

std::string AskCommand(const std::string& workload, const Particulars& found) {
  const std::string space = InNamespace(found.space);
  return workload.empty() ? absl::StrCat("kubectl get workloads", space)
                          : absl::StrCat("kubectl describe workload", space,
                                         " ", NameWord("workload", workload));
}

}  // namespace

Remedy RemedyOfQueue(const Answered& answered, const Particulars& found) {
  const v1::Cause cause = answered.failure.cause;
  if (cause != v1::SUSPENDED && cause != v1::START_TIMEOUT &&
      cause != v1::QUOTA_EXCEEDED) {
    return {};
  }
  const std::string queue(QueueOf(answered.owners));
  const std::string message = QueueMessage(answered.report());
  if (queue.empty() && message.empty()) return {};
  const std::string workload = NameOfWorkload(answered.report());
  Remedy remedy = RemedyInQueueMessage(
      message, {queue, workload, AskCommand(workload, found)}, found);
  // Conditions of the Workload are not evidence by themselves.
  remedy.source.clear();
  if (!message.empty()) {
    remedy.problem = absl::StrCat("Kueue says: ", message);
  } else {
    remedy.problem = absl::StrCat("it is suspended; Kueue's queue ", queue,
                                  " holds it, and only its Workload says why");
  }
  return remedy;
}

}  // namespace mulligan::words
