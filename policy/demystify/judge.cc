#include "policy/demystify/judge.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/anomalies.h"
#include "policy/demystify/attempts.h"
#include "policy/demystify/blame.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/hint_reader.h"
#include "policy/demystify/readers/object_reader.h"
#include "policy/demystify/readers/refine.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/situation.h"
#include "policy/demystify/was_decided.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

// Returns the type of the condition behind a fact: "BackoffLimitExceeded".
std::string_view StateOf(const Candidate& fact) {
  const std::string_view key = fact.row->key;
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos ? fact.value : key.substr(slash + 1);
}

bool IsOfMessage(const Candidate& fact) {
  return std::string_view(fact.place.leaf) == ".message";
}

// Returns whether two facts are conditions of one object.
bool AreOfOneObject(const Candidate& a, const Candidate& b) {
  return a.place.item >= 0 && b.place.item >= 0 &&
         a.place.root == b.place.root && a.place.index == b.place.index &&
         std::string_view(a.place.list) == b.place.list;
}

bool IsExternalEnd(const Member& member) {
  return member.ended() && IsExternalFailure(member.reading.best.cause);
}

bool IsOfQueue(const Candidate& fact) {
  return fact.decides() && fact.place.root == Root::kWorkload;
}

// Returns whether an object reports that the workload failed.
bool Fails(const Candidate& fact) {
  return fact.decides() && fact.cause != v1::SUCCEEDED;
}
// Returns whether an object reports that its deadline passed.
bool IsOfDeadline(const Candidate& fact) {
  return fact.decides() && fact.cause == v1::DEADLINE_JOB;
}

// Returns whether a pod cannot start until its spec is corrected.
bool KeepsFromStarting(const Candidate& fact) {
  return fact.decides() && fact.tier >= Tier::kSpecific &&
         fact.confidence >= v1::Diagnosis::MEDIUM &&
         (fact.cause == v1::IMAGE_INVALID || fact.cause == v1::IMAGE_DENIED ||
          fact.cause == v1::CONFIG_MISSING);
}

bool SomePodStarted(const Context& context, const Gang& gang) {
  if (gang.state.started || gang.running > 0 || gang.succeeded > 0) return true;
  const auto& events = context.report.events();
  return std::ranges::any_of(events, [](const auto& event) {
    return event.reason() == "Started" &&
           event.involved_object().kind() == "Pod";
  });
}

// The facts of a conclusion, from the failed pod and from the objects above it.
struct SplitFacts {
  std::span<Candidate> of_pod;
  std::span<Candidate> of_objects;
};

// Returns the pod whose facts count: failed, succeeded or the only one; or -1.
int PodWithFacts(const Attempt& attempt, const Gang& gang) {
  const bool alone = attempt.members.size() == 1 && attempt.pods.size() == 1;
  return alone ? attempt.pods.front() : gang.subject();
}

std::optional<std::int32_t> ExitCodeOf(const Attempt& attempt,
                                       const Gang& gang) {
  return gang.named >= 0 ? attempt.member(gang.named).reading.state.exit_code
                         : gang.state.exit_code;
}

// Returns whether the place is in the object that decides how the work ends,
// and none of its pods is active.
bool IsOfWholeWork(const Context& context, const Place& place) {
  const auto& views = context.owners.views;
  if (place.root == Root::kOwner) return place.owner == &views.front();
  return place.root == Root::kJobs && views.empty() &&
         context.report.jobs_size() == 1 &&
         context.report.jobs(0).status().active() <= 0 &&
         !context.owners.IsPartOfQueuedWork();
}

// Weighs the root pod and the objects above it against each other, by time,
// kind of end and statements.
void WeighTogether(const Context& context, const Gang& gang,
                   const SplitFacts& split, const Candidates& facts) {
  Scene scene = {
      .state = gang.state,
      .fails = gang.root >= 0,
      .gave_up = context.owners.gave_up(),
      .failed_since = context.owners.failed_since.value_or(kUnknownTime),
      .queue_says = std::ranges::any_of(facts, IsOfQueue),
      .kept_from_starting = std::ranges::any_of(facts, KeepsFromStarting) &&
                            !SomePodStarted(context, gang),
      .has_not_succeeded = context.owners.HasNotSucceeded(),
      .part_succeeded = gang.root < 0 && gang.first_succeeded >= 0};
  Weigh(Round::kObjects, split.of_pod, scene);
  scene.of_objects = true;
  for (Candidate& fact : split.of_objects) {
    scene.by_whole = IsOfWholeWork(context, fact.place);
    Weigh(Round::kObjects, fact, scene);
  }
  scene.others_live = gang.healthy > 0;
  scene.workload_failed = std::ranges::any_of(split.of_objects, Fails);
  scene.deadline_passed = context.owners.gave_up() &&
                          std::ranges::any_of(split.of_objects, IsOfDeadline);
  Weigh(Round::kMembers, split.of_pod, scene);
}

// Returns the confidence of the conclusion, weighed as its deciding fact's.
v1::Diagnosis::Confidence Weighed(const Conclusion& conclusion, Round round,
                                  const Scene& scene) {
  Candidate decisive = *conclusion.decisive();
  decisive.confidence = conclusion.confidence;
  Weigh(round, decisive, scene);
  return decisive.confidence;
}

// Sets the cause to that of the strongest fact, refined by its context.
void NameCause(const Context& context, Conclusion& conclusion) {
  const Candidate* strongest = Strongest(conclusion.facts);
  if (strongest == nullptr) return;
  conclusion.winner = static_cast<int>(strongest - conclusion.facts.data());
  conclusion.cause = strongest->cause;
  conclusion.confidence = strongest->confidence;
  const int pod = conclusion.gang.subject();
  conclusion.confidence =
      Weighed(conclusion, Round::kSure,
              {.rootless = conclusion.gang.rootless,
               .in_two_states =
                   pod >= 0 && ContainerInTwoStates(context.report.pods(pod))});
  RefineConclusion(context, conclusion);
}

// Returns a failure that the object which reports success also reports; null if
// none. Excludes restarts and evictions that a Kueue Workload survived.
const Candidate* FailureDespite(const Candidate& success,
                                std::span<const Candidate> facts) {
  if (success.place.root == Root::kWorkload) return nullptr;
  const auto failure = std::ranges::find_if(facts, [&](const Candidate& fact) {
    return fact.row != nullptr && !IsOutcome(fact) &&
           fact.cause != v1::SUSPENDED && !IsOfMessage(fact) &&
           AreOfOneObject(fact, success) &&
           !StateOf(fact).starts_with("Restarting");
  });
  return failure == facts.end() ? nullptr : &*failure;
}

// Returns other trouble of a pod that succeeded, or null.
const Candidate* TroubleOf(std::span<const Candidate> facts) {
  const auto trouble = std::ranges::find_if(facts, [](const Candidate& fact) {
    return fact.cause != v1::SUCCEEDED && fact.tier >= Tier::kSpecific;
  });
  return trouble == facts.end() ? nullptr : &*trouble;
}

// Lowers the confidence of a success, and warns, if there are signs of failure.
void CheckSuccess(const v1::FailureReport& report, const SplitFacts& split,
                  Conclusion& conclusion) {
  const Candidate& success = *conclusion.decisive();
  const Candidate* failure = FailureDespite(success, split.of_objects);
  // Before its owner succeeded, a pod may have failed or been cleaned up.
  const bool of_pod = success.place.root == Root::kPods;
  const Candidate* trouble = of_pod ? TroubleOf(split.of_pod) : nullptr;
  conclusion.confidence = Weighed(conclusion, Round::kSuccess,
                                  {.says_failure = failure != nullptr,
                                   .pod_says_failure = trouble != nullptr});
  if (failure != nullptr) {
    const ObjectName object = ObjectOf(report, success.place);
    conclusion.warnings.push_back(absl::StrCat(
        std::string(object.kind), object.name.empty() ? "" : " ",
        Excerpt(object.name), " says both ", Excerpt(StateOf(success)), " and ",
        Excerpt(StateOf(*failure)), ": it is taken as succeeded"));
  }
  const int failed_phase = conclusion.gang.succeeded_as_failed;
  if (trouble != nullptr) {
    conclusion.warnings.push_back(
        absl::StrCat("the pod succeeded although its report also says ",
                     v1::Cause_Name(trouble->cause)));
  } else if (failed_phase >= 0 && success.place.root == Root::kPods) {
    conclusion.warnings.push_back(absl::StrCat(
        "pod ", Excerpt(report.pods(failed_phase).metadata().name()),
        ": phase is Failed, but its main containers exited with "
        "code 0: it is taken as succeeded"));
  }
}

// Lets hints name a cause that is open, or raise the confidence if they agree.
void ApplyHints(const Context& context, Conclusion& conclusion) {
  Candidates& facts = conclusion.facts;
  const std::size_t first = facts.size();
  ReadHints(context, facts);
  const v1::Cause cause = conclusion.cause;
  Weigh(Round::kOthers, std::span(facts).subspan(first),
        {.strongest = conclusion.decisive(),
         .cause = cause,
         .confidence = conclusion.confidence});
  for (std::size_t i = first; i < facts.size(); ++i) {
    const Candidate& hint = facts[i];
    if (!hint.decides()) continue;
    if (hint.cause == cause) {
      conclusion.confidence = std::max(conclusion.confidence, hint.confidence);
    } else if (conclusion.hint < 0 ||
               hint.confidence > conclusion.naming()->confidence) {
      conclusion.hint = static_cast<int>(i);
    }
  }
  if (conclusion.hint < 0) return;
  conclusion.cause = conclusion.naming()->cause;
  conclusion.confidence = conclusion.naming()->confidence;
}

// For an attempt without evidence of an end. Adds the deciding fact, if any.
SituationFound LiveSituation(const Attempt& attempt, Conclusion& conclusion) {
  const std::size_t before = conclusion.facts.size();
  SituationFound status = FindLiveSituation(attempt, conclusion.facts);
  if (conclusion.facts.size() > before) {
    conclusion.winner = static_cast<int>(before);
    conclusion.confidence = conclusion.facts.back().confidence;
  }
  return status;
}

Seconds EndOfCulprit(const Attempt& attempt, const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  const Gang& gang = conclusion.gang;
  const bool of_pod =
      gang.root >= 0 || winner == nullptr || winner->place.root == Root::kPods;
  const int pod = gang.subject();
  if (pod >= 0 && of_pod) {
    const Member& member = attempt.member(pod);
    return member.ended() ? member.end : gang.state.finished_at;
  }
  const bool object_says =
      winner != nullptr && conclusion.situation == v1::Diagnosis::BROKEN &&
      winner->place.root != Root::kEvents && winner->place.root != Root::kNodes;
  return object_says ? winner->at : kUnknownTime;
}

// Reads a Job's message about a pod that is not in the report.
void ReadPolicyMessage(const v1::FailureReport& report,
                       Conclusion& conclusion) {
  static const re2::RE2* const sentence = new re2::RE2(
      "Container (\\S+) for pod (?:\\S+/)?(\\S+) failed with exit code "
      "(-?\\d+)");
  const Place& place = conclusion.decisive()->place;
  const std::string& message =
      report.jobs(place.index).status().conditions(place.item).message();
  int code = 0;
  if (re2::RE2::PartialMatch(message, *sentence, &conclusion.named_container,
                             &conclusion.named_pod, &code)) {
    conclusion.exit_code = code;
  }
}

// Seconds after which an operator that has not retried never will. A Job's
// back-off is at most ten minutes (MaxJobBackOff, Kubernetes 1.34).
constexpr Seconds kOperatorPatience = 15 * 60;

// Marks work that its operator retries as alive. Queues decide for themselves.
void LeaveToOperator(const Attempt& attempt, SituationFound& status,
                     Conclusion& conclusion) {
  const auto& operator_retries = attempt.context.operator_retries;
  if (status.situation != v1::Diagnosis::BROKEN ||
      operator_retries == nullptr ||
      conclusion.decisive()->place.root == Root::kWorkload) {
    return;
  }
  const v1::EndedAttempt& reported = attempt.report().ended_attempt();
  if (reported.next() == v1::EndedAttempt::SCHEDULER) {
    status = {v1::Diagnosis::ALIVE, kUnknownTime,
              absl::StrCat(reported.scheduler().empty() ? "its scheduler"
                                                        : reported.scheduler(),
                           " starts it again by itself")};
    conclusion.retried = true;
    return;
  }
  const int root = conclusion.gang.root;
  const bool ended = root >= 0 && attempt.member(root).ended();
  // Operators do not retry a pod that cannot start.
  const Root place = conclusion.decisive()->place.root;
  const bool of_pod = place == Root::kPods || place == Root::kEvents;
  if (of_pod && root >= 0 && attempt.member(root).failed() && !ended) return;
  const Seconds since =
      ended ? attempt.member(root).struck : conclusion.decisive()->at;
  // An operator's statement without a time counts as recent.
  if ((ended || Known(since)) &&
      Before(since + kOperatorPatience, attempt.context.now)) {
    return;
  }
  std::string who = operator_retries(ended ? root : -1);
  if (who.empty()) return;
  // If no object shows that the operator gives up, only time does.
  status = {v1::Diagnosis::ALIVE,
            attempt.context.owners.any() || !Known(since)
                ? kUnknownTime
                : since + kOperatorPatience,
            std::move(who)};
  conclusion.retried = true;
}

// Without `with_objects`, only the pods count.
Conclusion Judge(const Attempt& attempt, bool with_objects) {
  const Context& context = attempt.context;
  Conclusion found;
  // First: which pod failed, and the facts.
  if (!attempt.members.empty()) {
    found.gang = ReadGang(attempt);
    found.exit_code = ExitCodeOf(attempt, found.gang);
    const int pod = PodWithFacts(attempt, found.gang);
    if (pod >= 0) found.facts = attempt.member(pod).facts;
  }
  found.external_ends =
      static_cast<int>(std::ranges::count_if(attempt.members, IsExternalEnd));
  const std::size_t of_pod = found.facts.size();
  if (with_objects) {
    ReadObjects(attempt, found.gang, found.facts, found.exit_code);
  }
  // Second: which fact decides.
  const SplitFacts split = {std::span(found.facts).first(of_pod),
                            std::span(found.facts).subspan(of_pod)};
  WeighTogether(context, found.gang, split, found.facts);
  NameCause(context, found);
  if (found.cause == v1::SUCCEEDED) CheckSuccess(context.report, split, found);
  // Third: whether anything is broken, and where and when it ended. Hints only
  // name a failure, so they come after that.
  const bool decides = found.decisive() != nullptr;
  SituationFound status =
      decides ? FindSituation(attempt, found) : LiveSituation(attempt, found);
  if (with_objects && decides) {
    LeaveToOperator(attempt, status, found);
    ApplyHints(context, found);
  }
  found.situation = status.situation;
  found.ask_again = status.ask_again;
  if (!status.warning.empty()) {
    found.warnings.push_back(std::move(status.warning));
  }
  found.ended_at = EndOfCulprit(attempt, found);
  found.exit_code = CulpritExitCode(context.report, found);
  const Candidate* winner = found.decisive();
  if (winner == nullptr) return found;
  if (found.gang.state.recovered && winner->place.root == Root::kPods) {
    found.warnings.emplace_back(
        "the container runs again; the cause is that of its previous run");
  }
  if (found.gang.root < 0 && winner->row->key == key::kPodFailurePolicy) {
    ReadPolicyMessage(context.report, found);
  }
  return found;
}

// Returns whether the current attempt, whose pods may not exist yet, has lasted
// kOutlives times as long as the previous one ran.
bool IsPast(const Context& context, const Attempt& current,
            const Attempt& before, int root) {
  Seconds begin = kUnknownTime;
  for (const int pod : current.pods) {
    const Member& member = current.member(pod);
    if (member.reading.failing()) continue;
    if (Known(member.begin)) begin = std::max(begin, member.begin);
  }
  if (HasSucceeded(current)) return true;
  const Member& failed = before.member(root);
  if (current.pods.empty()) begin = failed.struck;
  if (!Known(begin) || !Known(context.now)) return true;
  return HasOutlived(context.now - begin, failed.begin, failed.struck);
}

// Returns whether its owner counts the member to the last failed attempt.
bool IsLastAttempt(const Member& member, const Owners& owners) {
  return member.restart >= 0 && member.restart + 1 >= owners.NewestAttempt();
}

// For live work after a failed attempt: names that failure until it is
// outdated, if its pods show more than the operator's summary.
void NameLastFailure(const Context& context, Judgement& judgement) {
  Conclusion& now = judgement.conclusion;
  const bool is_summary = now.cause != v1::NOT_FAILED;
  if (now.situation != v1::Diagnosis::ALIVE ||
      (is_summary &&
       (now.decisive() == nullptr || !IsSummary(*now.decisive()))) ||
      judgement.attempts.earlier.empty() ||
      judgement.attempts.earlier.back().open) {
    return;
  }
  const Attempt before = {context, judgement.members,
                          judgement.attempts.earlier.back().pods};
  Conclusion past = JudgeEarlier(before);
  if (past.situation != v1::Diagnosis::BROKEN || past.gang.root < 0 ||
      (is_summary &&
       !IsLastAttempt(before.member(past.gang.root), context.owners)) ||
      IsPast(context, {context, judgement.members, judgement.attempts.current},
             before, past.gang.root)) {
    return;
  }
  past.past = true;
  past.situation = v1::Diagnosis::ALIVE;
  past.ask_again = now.ask_again;
  now = std::move(past);
}

}  // namespace

Judgement JudgeReport(const Context& context, const WasDecided& was_decided) {
  Judgement judgement;
  judgement.members = ReadMembers(context);
  if (was_decided) BoundByRecords(was_decided, judgement.members);
  judgement.attempts =
      SplitAttempts(judgement.members, OwnerAttemptsOf(context.owners));
  judgement.conclusion =
      Judge({context, judgement.members, judgement.attempts.current},
            /*with_objects=*/true);
  NameLastFailure(context, judgement);
  return judgement;
}

bool HasSucceeded(const Attempt& attempt) {
  return !attempt.pods.empty() &&
         std::ranges::all_of(attempt.pods, [&attempt](int pod) {
           return attempt.member(pod).succeeded();
         });
}

bool IsSummary(const Candidate& fact) {
  return fact.HasWeight(kOperatorWeight) && fact.tier <= Tier::kGeneric;
}

Conclusion JudgeEarlier(const Attempt& attempt) {
  return Judge(attempt, /*with_objects=*/false);
}

bool HasOutlived(Seconds runs_for, Seconds began, Seconds ended) {
  const Seconds ran = Known(began) && Known(ended) ? ended - began : 0;
  return runs_for > std::max(kMinRun, kOutlives * ran);
}

Conclusion WithoutFailure(const Attempt& attempt) {
  Conclusion found;
  const SituationFound status = LiveSituation(attempt, found);
  found.situation = status.situation;
  found.ask_again = status.ask_again;
  return found;
}

}  // namespace mulligan::demystify
