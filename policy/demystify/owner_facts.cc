#include "policy/demystify/owner_facts.h"

#include <algorithm>

#include "policy/demystify/life_signs.h"

namespace mulligan::demystify {
namespace {

bool IsOfOwner(Root root) {
  return root != Root::kPods && root != Root::kEvents && root != Root::kNodes &&
         root != Root::kWorkload;
}

// What keeps a pod from starting until somebody corrects it.
bool KeepsFromStarting(const Candidate& fact) {
  return fact.decides() && fact.tier >= Tier::kSpecific &&
         fact.confidence >= v1::Diagnosis::MEDIUM &&
         (fact.cause == v1::IMAGE_INVALID || fact.cause == v1::IMAGE_DENIED ||
          fact.cause == v1::CONFIG_MISSING);
}

bool SomePodStarted(const Context& context, const Gang& gang) {
  if (gang.state.started || gang.running > 0 || gang.succeeded > 0) return true;
  const auto& events = context.report.events();
  return std::any_of(events.begin(), events.end(), [](const auto& event) {
    return event.reason() == "Started" &&
           event.involved_object().kind() == "Pod";
  });
}

template <typename Object>
bool NamesQueue(const Object& object) {
  return object.metadata().labels().contains("kueue.x-k8s.io/queue-name");
}

}  // namespace

void WeighSuspension(const Context& context, Candidates& facts) {
  if (OwnerGaveUp(context.report)) {
    for (Candidate& fact : facts) {
      if (fact.decides() && fact.cause == v1::SUSPENDED) {
        Demote(fact, "what has failed for good is not resumed");
      }
    }
    return;
  }
  const bool queue_says =
      std::any_of(facts.begin(), facts.end(), [](const Candidate& fact) {
        return fact.decides() && fact.place.root == Root::kWorkload;
      });
  if (!queue_says) return;
  for (Candidate& fact : facts) {
    if (fact.decides() && fact.cause == v1::SUSPENDED &&
        IsOfOwner(fact.place.root)) {
      Demote(fact, "the queue suspends what it does not admit");
    }
  }
}

void WeighDeadline(const Context& context, const Gang& gang,
                   Candidates& facts) {
  if (std::none_of(facts.begin(), facts.end(), KeepsFromStarting) ||
      SomePodStarted(context, gang)) {
    return;
  }
  for (Candidate& fact : facts) {
    if (fact.decides() && fact.cause == v1::DEADLINE_JOB) {
      Demote(fact, "it passed because no pod could start");
    }
  }
}

bool MayBeQueued(const v1::FailureReport& report) {
  const auto& jobs = report.jobs();
  // Other owners hand the label down in ways of their own.
  if (jobs.empty() || report.has_job_set() || report.has_ray_job() ||
      report.has_train_job() || report.has_kubeflow_job()) {
    return true;
  }
  const auto& pods = report.pods();
  return std::any_of(jobs.begin(), jobs.end(),
                     NamesQueue<kubernetes::batch::v1::Job>) ||
         std::any_of(pods.begin(), pods.end(),
                     NamesQueue<kubernetes::core::v1::Pod>);
}

}  // namespace mulligan::demystify
