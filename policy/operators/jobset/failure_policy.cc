#include "policy/operators/jobset/failure_policy.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/repeated_field.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/message_patterns.h"

namespace mulligan::jobset {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

bool IsEmptyOrHas(const Texts& texts, const std::string& text) {
  return texts.empty() ||
         std::find(texts.begin(), texts.end(), text) != texts.end();
}

// What is asked of each Job, with the patterns compiled once.
class RuleTest {
 public:
  RuleTest(const FailurePolicyRule& rule, const Gates& gates,
           MessagePatterns& patterns, PatternAllowance& allowance)
      : rule_(rule),
        asks_message_(gates.message_patterns &&
                      !rule.on_job_failure_message_patterns().empty()),
        allowance_(allowance) {
    if (!asks_message_) return;
    std::string error;
    for (const std::string& pattern : rule.on_job_failure_message_patterns()) {
      if (auto made = patterns.Compile(pattern, error)) {
        patterns_.push_back(std::move(made));
      }
    }
  }

  bool Applies(const Job& job) {
    const JobCondition* const failed = FailedCondition(job);
    if (failed == nullptr) return false;
    if (!IsEmptyOrHas(rule_.on_job_failure_reasons(), failed->reason())) {
      return false;
    }
    const std::string group = ReplicatedJobNameOf(job);
    return !group.empty() &&
           IsEmptyOrHas(rule_.target_replicated_jobs(), group) &&
           (!asks_message_ || IsFound(failed->message()));
  }

 private:
  bool IsFound(const std::string& message) {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const auto& pattern) {
                         return allowance_.Find(*pattern, message);
                       });
  }

  const FailurePolicyRule& rule_;
  const bool asks_message_;
  PatternAllowance& allowance_;
  std::vector<std::unique_ptr<const RE2>> patterns_;
};

// Kubernetes' times have whole seconds.
std::int64_t JobFailedAt(const Job& job) {
  const JobCondition* const failed = FailedCondition(job);
  return failed != nullptr && failed->has_last_transition_time()
             ? failed->last_transition_time().seconds()
             : std::numeric_limits<std::int64_t>::min();
}

const Job* Earlier(const Job* best, const Job* candidate) {
  return best == nullptr || JobFailedAt(*candidate) < JobFailedAt(*best)
             ? candidate
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

std::optional<RuleMatch> FindRule(const FailurePolicy& policy,
                                  const Jobs& failed, const Gates& gates,
                                  PatternAllowance& allowance) {
  MessagePatterns patterns(allowance);
  for (int i = 0; i < policy.rules_size(); ++i) {
    RuleTest test(policy.rules(i), gates, patterns, allowance);
    const Job* first = nullptr;
    for (const Job* const job : failed) {
      if (test.Applies(*job)) first = Earlier(first, job);
    }
    if (first != nullptr) return RuleMatch{i, first};
  }
  return std::nullopt;
}

}  // namespace mulligan::jobset
