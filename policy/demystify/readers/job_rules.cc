#include "policy/demystify/readers/job_rules.h"

#include <algorithm>
#include <string>

#include "policy/demystify/signatures/rows.h"
#include "policy/request/pod_failure_rule.h"

namespace mulligan::demystify {
namespace {

namespace batch = kubernetes::batch::v1;
namespace core = kubernetes::core::v1;

// The Job that made the pod; null: it is not among those that are told.
const batch::Job* JobOf(const v1::FailureReport& report, const core::Pod& pod) {
  const auto& owners = pod.metadata().owner_references();
  const auto owner = std::ranges::find_if(owners, [](const auto& reference) {
    return reference.kind() == "Job" && reference.controller();
  });
  if (owner == owners.end()) return nullptr;
  const auto job =
      std::ranges::find_if(report.jobs(), [&](const batch::Job& one) {
        const auto& meta = one.metadata();
        return meta.name() == owner->name() &&
               (meta.uid().empty() || owner->uid().empty() ||
                meta.uid() == owner->uid());
      });
  return job == report.jobs().end() ? nullptr : &*job;
}

}  // namespace

void ReadJobRules(const Context& context, int index, Candidates& facts) {
  const core::Pod& pod = context.report.pods(index);
  const batch::Job* job = JobOf(context.report, pod);
  if (job == nullptr || !job->spec().has_pod_failure_policy()) return;
  const PodFailureRule found =
      FindPodFailureRule(pod, job->spec().pod_failure_policy());
  if (found.container == nullptr) return;
  const std::string& action = found.rule->action();
  if (action == "Count") return;
  const Place place = {Root::kPods, index, "", -1, ".status.phase"};
  const auto& ended = found.container->state().terminated();
  AddSign(facts,
          action == "Ignore" ? sign::kIgnoredByOwner : sign::kEndedByOwner,
          place, action, ToSeconds(ended.finished_at()))
      .number = ended.exit_code();
}

}  // namespace mulligan::demystify
