#include "policy/native/jobset_failure_policy.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "google/protobuf/repeated_field.h"
#include "policy/native/jobset_conditions.h"

namespace mulligan::jobset {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

bool IsEmptyOrHas(const Texts& texts, const std::string& text) {
  return texts.empty() ||
         std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool IsEmptyOrFound(const Texts& patterns, const std::string& message) {
  RE2::Options options;
  options.set_log_errors(false);
  return patterns.empty() ||
         std::any_of(
             patterns.begin(), patterns.end(), [&](const std::string& pattern) {
               const RE2 expression(pattern, options);
               return expression.ok() && RE2::PartialMatch(message, expression);
             });
}

// Kubernetes' times have whole seconds.
std::int64_t FailedAt(const Job& job) {
  const JobCondition* const failed = FailedCondition(job);
  return failed != nullptr && failed->has_last_transition_time()
             ? failed->last_transition_time().seconds()
             : std::numeric_limits<std::int64_t>::min();
}

const Job* Earlier(const Job* best, const Job* candidate) {
  return best == nullptr || FailedAt(*candidate) < FailedAt(*best) ? candidate
                                                                   : best;
}

}  // namespace

const JobCondition* FailedCondition(const Job& job) {
  const auto& conditions = job.status().conditions();
  const auto found = std::find_if(
      conditions.begin(), conditions.end(), [](const JobCondition& condition) {
        return condition.type() == kFailed && condition.status() == kTrue;
      });
  return found == conditions.end() ? nullptr : &*found;
}

std::string ReplicatedJobNameOf(const Job& job) {
  const auto& labels = job.metadata().labels();
  const auto found = labels.find(std::string(kReplicatedJobNameKey));
  return found == labels.end() ? std::string() : found->second;
}

const Job* FirstFailedJob(const Jobs& jobs) {
  const Job* first = nullptr;
  for (const Job* const job : jobs) {
    if (FailedCondition(*job) != nullptr) first = Earlier(first, job);
  }
  return first;
}

bool RuleApplies(const FailurePolicyRule& rule, const Job& job,
                 const Gates& gates) {
  const JobCondition* const failed = FailedCondition(job);
  if (failed == nullptr) return false;
  if (!IsEmptyOrHas(rule.on_job_failure_reasons(), failed->reason())) {
    return false;
  }
  if (gates.message_patterns &&
      !IsEmptyOrFound(rule.on_job_failure_message_patterns(),
                      failed->message())) {
    return false;
  }
  const std::string group = ReplicatedJobNameOf(job);
  return !group.empty() && IsEmptyOrHas(rule.target_replicated_jobs(), group);
}

std::optional<RuleMatch> FindRule(const FailurePolicy& policy,
                                  const Jobs& failed, const Gates& gates) {
  for (int i = 0; i < policy.rules_size(); ++i) {
    const Job* first = nullptr;
    for (const Job* const job : failed) {
      if (RuleApplies(policy.rules(i), *job, gates)) {
        first = Earlier(first, job);
      }
    }
    if (first != nullptr) return RuleMatch{i, first};
  }
  return std::nullopt;
}

}  // namespace mulligan::jobset
