#include "policy/demystify/readers/job_rules.h"

#include <string>

#include "policy/demystify/signatures/rows.h"
#include "policy/request/pod_failure_rule.h"

namespace mulligan::demystify {

void ReadJobRules(const Context& context, int index, Candidates& facts) {
  const auto& pod = context.report.pods(index);
  const auto* const job = context.RulingJobOf(pod);
  if (job == nullptr) return;
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
