#include "policy/demystify/demystify.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "policy/base/labels.h"
#include "policy/demystify/anomalies.h"
#include "policy/demystify/blame.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/failure_of.h"
#include "policy/demystify/judge.h"
#include "policy/demystify/judged.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/event_reader.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/limits.h"
#include "policy/request/pod_marks.h"

namespace mulligan {
namespace {

using demystify::Attempt;
using demystify::Earlier;
using demystify::Known;
using demystify::kUnknownTime;
using demystify::Member;
using demystify::Seconds;
using demystify::ToSeconds;

// Seconds. A longer grace period is a mistake or not worth waiting for.
constexpr Seconds kLongestGrace = 24 * 3600;

std::optional<absl::Time> TimeOf(Seconds time) {
  if (time <= 0) return std::nullopt;
  return absl::FromUnixSeconds(time);
}

// Returns the earliest sign of the concluded failure.
Seconds SinceOf(const demystify::Context& context,
                const demystify::Conclusion& conclusion) {
  const demystify::Candidate* winner = conclusion.decisive();
  if (winner == nullptr) return kUnknownTime;
  Seconds since = winner->at;
  if (winner->place.root == demystify::Root::kEvents) {
    since = demystify::FirstTime(context.report.events(winner->place.index));
  }
  if (conclusion.gang.root < 0) return since;
  const kubernetes::core::v1::Pod& pod =
      context.report.pods(conclusion.gang.root);
  if (conclusion.gang.state.end == demystify::End::kNone) {
    // A stuck pod: since the kubelet first found it not ready.
    since = Earlier(since, demystify::LastReady(pod.status()));
    return Known(since) ? since : demystify::StartingSince(pod);
  }
  return Earlier(since, conclusion.gang.state.finished_at);
}

Incident IncidentOf(const Attempt& attempt, int root) {
  Incident incident;
  if (root < 0) return incident;
  incident.pods.push_back(root);
  for (const int other : attempt.pods) {
    if (other != root && attempt.member(other).failed()) {
      incident.pods.push_back(other);
    }
  }
  const Member& member = attempt.member(root);
  incident.begin = TimeOf(member.begin);
  incident.struck = TimeOf(member.struck);
  incident.own = demystify::FailedByItself(member.reading);
  incident.alone = member.alone;
  incident.silent = demystify::MayFollow(member.reading);
  if (member.alone) {
    const std::string_view index = LabelOf(
        attempt.report().pods(root).metadata().labels(), kCompletionIndexLabel);
    if (index.size() <= kMaxPartBytes) incident.part = index;
  }
  return incident;
}

// Returns when the last pod that is being stopped must be gone. A pod that is
// marked but not yet deleted still has its whole grace period.
Seconds LastGone(const Attempt& attempt) {
  const Seconds now = attempt.context.now;
  Seconds last = kUnknownTime;
  for (const int pod : attempt.pods) {
    const demystify::PodState& state = attempt.member(pod).reading.state;
    const auto& object = attempt.report().pods(pod);
    const bool runs = std::ranges::any_of(
        object.status().container_statuses(),
        [](const auto& status) { return status.state().has_running(); });
    if (!IsBeingStopped(object) || !runs ||
        state.phase != demystify::Phase::kRunning) {
      continue;
    }
    const Seconds deadline = ToSeconds(object.metadata().deletion_timestamp());
    const Seconds grace = std::clamp<Seconds>(state.grace, 0, kLongestGrace);
    last = std::max(last, Known(deadline) ? deadline
                          : Known(now)    ? now + grace
                                          : kUnknownTime);
  }
  return last;
}

// Returns whether an object reports the failure while the pods continue.
bool IsOfObject(const demystify::Conclusion& conclusion) {
  const demystify::Candidate* winner = conclusion.decisive();
  return winner != nullptr && conclusion.gang.state.goes_on() &&
         winner->place.root != demystify::Root::kPods &&
         winner->place.root != demystify::Root::kEvents &&
         winner->place.root != demystify::Root::kNodes;
}

// Returns whether it failed by itself and the kubelet or operator retries it.
bool IsRetried(const Attempt& attempt,
               const demystify::Conclusion& conclusion) {
  const demystify::Candidate* winner = conclusion.decisive();
  const demystify::Gang& gang = conclusion.gang;
  if (conclusion.situation != v1::Diagnosis::ALIVE || conclusion.past ||
      winner == nullptr || !winner->decides()) {
    return false;
  }
  // The queue requeues it by itself.
  if (winner->place.root == demystify::Root::kWorkload) return true;
  if (winner->place.root == demystify::Root::kOwner) {
    return !demystify::IsSummary(*winner) &&
           (conclusion.retried ||
            demystify::OperatorRestarts(conclusion.facts, winner->at));
  }
  if (gang.root < 0) return false;
  if (conclusion.retried) return attempt.member(gang.root).failed();
  // An event may say why the kubelet killed the container.
  const bool of_pod =
      winner->place.root == demystify::Root::kPods ||
      (winner->place.root == demystify::Root::kEvents && gang.state.goes_on());
  if (!of_pod || gang.state.work_runs ||
      winner->row == &demystify::sign::kHelperFailed ||
      demystify::OwnerContinues(attempt.context, gang.root)) {
    return false;
  }
  return gang.state.goes_on() ||
         demystify::OperatorRestarts(conclusion.facts,
                                     attempt.member(gang.root).struck);
}

// Returns the failure of an attempt, with the pods that it affected.
Failure FailureIn(const Attempt& attempt,
                  const demystify::Conclusion& conclusion, int root) {
  Failure failure = FailureOf(attempt.context, conclusion);
  failure.incident = IncidentOf(attempt, root);
  failure.incident.of_node = demystify::PointsToNode(conclusion);
  // A queue puts back what it preempts.
  if (failure.cause == v1::PREEMPTED_QUEUE) {
    failure.retried_by = v1::AttemptRecord::QUEUE;
  }
  return failure;
}

// Returns whether the kubelet restarted the failed container, which has
// outlived its failure.
bool ContainerOutlived(const Attempt& attempt,
                       const demystify::Conclusion& conclusion) {
  const auto* const container =
      demystify::CulpritContainer(attempt.report(), conclusion);
  if (!conclusion.gang.state.recovered || container == nullptr ||
      !container->state().has_running()) {
    return false;
  }
  const Seconds since = ToSeconds(container->state().running().started_at());
  const Seconds now = attempt.context.now;
  const auto& last = container->last_state().terminated();
  return Known(since) && Known(now) &&
         demystify::HasOutlived(now - since, ToSeconds(last.started_at()),
                                ToSeconds(last.finished_at()));
}

// Adds a failure that the kubelet, operator or scheduler retries to the earlier
// ones, as one to be decided.
void AddRetried(const Attempt& attempt, demystify::Conclusion retried,
                demystify::Judged& judged, Findings& findings) {
  demystify::Conclusion& conclusion =
      judged.others.emplace_back(std::move(retried));
  const auto* const container =
      demystify::CulpritContainer(attempt.report(), conclusion);
  if (container != nullptr) {
    findings.ends =
        container->restart_count() + (container->state().has_running() ? 0 : 1);
  }
  conclusion.situation = v1::Diagnosis::BROKEN;
  // Ignores hints, which may change with each report.
  conclusion.cause = conclusion.decisive()->cause;
  conclusion.hint = -1;
  const demystify::Candidate& winner = *conclusion.decisive();
  const bool of_queue = winner.place.root == demystify::Root::kWorkload;
  const bool of_object =
      winner.place.root == demystify::Root::kOwner || of_queue;
  if (of_object) conclusion.ended_at = winner.at;
  Failure& failure = findings.earlier.emplace_back(
      FailureIn(attempt, conclusion, of_object ? -1 : conclusion.gang.root));
  failure.incident.of_object = of_object;
  if (failure.retried_by == v1::AttemptRecord::RETRIED_BY_UNSPECIFIED) {
    failure.retried_by = attempt.report().has_ended_attempt()
                             ? v1::AttemptRecord::SCHEDULER
                         : of_queue ? v1::AttemptRecord::QUEUE
                         : conclusion.gang.state.goes_on() && !of_object
                             ? v1::AttemptRecord::KUBELET
                             : v1::AttemptRecord::OPERATOR;
  }
  if (of_object) failure.incident.struck = TimeOf(winner.at);
}

// Returns whether pods work independently of each other. A single Job that runs
// one pod at a time has no parallel pods.
bool WorkApart(const v1::FailureReport& report,
               const std::vector<Member>& members) {
  const bool one_by_one =
      report.jobs_size() == 1 && report.jobs(0).spec().parallelism() <= 1;
  return !one_by_one && members.size() > 1 &&
         std::ranges::any_of(members, &Member::alone);
}

// Returns when the youngest running container started.
Seconds RunsSince(const Attempt& attempt) {
  Seconds since = kUnknownTime;
  for (const int pod : attempt.pods) {
    const auto& object = attempt.report().pods(pod);
    if (object.status().phase() != "Running" || IsBeingStopped(object)) {
      continue;
    }
    for (const auto& status : object.status().container_statuses()) {
      if (!status.state().has_running()) continue;
      since = std::max(since, ToSeconds(status.state().running().started_at()));
    }
  }
  return since;
}

void ReadEarlier(demystify::Judged& judged, Findings& findings) {
  const auto& all = judged.judgement.attempts.earlier;
  const std::size_t left_out =
      all.size() - std::min<std::size_t>(all.size(), kMaxHistory);
  findings.more_earlier = static_cast<int>(left_out);
  for (std::size_t i = left_out; i < all.size(); ++i) {
    const Attempt attempt = {judged.context, judged.judgement.members,
                             all[i].pods};
    const demystify::Conclusion& conclusion =
        judged.others.emplace_back(demystify::JudgeEarlier(attempt));
    findings.earlier.push_back(
        FailureIn(attempt, conclusion, conclusion.gang.root));
    Failure& failure = findings.earlier.back();
    failure.open = all[i].open;
    const auto& retries = judged.context.operator_retries;
    const int root = conclusion.gang.root;
    if (failure.open && retries != nullptr && root >= 0 &&
        attempt.member(root).ended() && !retries(root).empty()) {
      failure.retried_by = v1::AttemptRecord::OPERATOR;
    }
  }
}

}  // namespace

Findings Demystify(const Owners& owners, const DemystifyOptions& options) {
  const auto judged = std::make_shared<demystify::Judged>(
      owners, options.signatures, options.now, options.patterns);
  demystify::Context& context = judged->context;
  context.external_ends = options.external_ends;
  context.operator_retries = options.operator_retries;
  demystify::Judgement& judgement = judged->judgement;
  judgement = demystify::JudgeReport(context, options.was_decided);
  demystify::Conclusion& conclusion = judgement.conclusion;
  const Attempt current = {context, judgement.members,
                           judgement.attempts.current};
  std::optional<demystify::Conclusion> retried;
  if (IsRetried(current, conclusion)) {
    retried = conclusion;
    if (ContainerOutlived(current, conclusion)) {
      conclusion = demystify::WithoutFailure(current);
    }
  }
  Findings findings;
  findings.judged = judged;
  findings.warnings = std::move(conclusion.warnings);
  demystify::CheckReport(context, findings.warnings);
  findings.since = TimeOf(SinceOf(context, conclusion));
  findings.ask_again = TimeOf(conclusion.ask_again);
  const Attempt concluded = {context, judgement.members,
                             conclusion.past
                                 ? judgement.attempts.earlier.back().pods
                                 : judgement.attempts.current};
  findings.failure =
      FailureIn(concluded, conclusion,
                IsOfObject(conclusion) ? -1 : conclusion.gang.root);
  findings.gone_at = TimeOf(LastGone(current));
  findings.runs_since = TimeOf(RunsSince(current));
  findings.succeeded = demystify::HasSucceeded(current);
  findings.apart = WorkApart(context.report, judgement.members);
  Incident& incident = findings.failure.incident;
  if (const demystify::Candidate* winner = conclusion.decisive()) {
    if (winner->place.root == demystify::Root::kEvents) {
      incident.event = winner->place.index;
      if (incident.pods.empty()) incident.struck = TimeOf(winner->at);
    }
    incident.summary = incident.pods.empty() && demystify::IsSummary(*winner);
  }
  if (!judgement.attempts.earlier.empty()) ReadEarlier(*judged, findings);
  if (retried) AddRetried(current, *std::move(retried), *judged, findings);
  return findings;
}

}  // namespace mulligan
