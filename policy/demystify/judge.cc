#include "policy/demystify/judge.h"

#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/context.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/readers/readers.h"
#include "policy/demystify/signatures/rows.h"

namespace mulligan::demystify {
namespace {

bool IsOutcome(const Candidate& fact) {
  return fact.cause == v1::SUCCEEDED || fact.cause == v1::CANCELLED;
}

// Of the condition behind a fact, "BackoffLimitExceeded".
std::string_view StateOf(const Candidate& fact) {
  const std::string_view key = fact.row->key;
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos ? fact.value : key.substr(slash + 1);
}

// Messages explain a condition, they are none.
bool IsOfMessage(const Candidate& fact) {
  return std::string_view(fact.place.leaf) == ".message";
}

// Whether two facts are of conditions of one object.
bool AreOfOneObject(const Candidate& a, const Candidate& b) {
  return a.place.item >= 0 && b.place.item >= 0 &&
         a.place.root == b.place.root && a.place.index == b.place.index &&
         std::string_view(a.place.list) == b.place.list;
}

bool IsNotTheProgramsEnd(const Member& member) {
  return member.ended() && IsNotThePrograms(member.reading.best.cause);
}

class Judge {
 public:
  // `conclusion` holds the facts of the pod if there is one only, else nothing.
  Judge(const Context& context, const std::vector<Member>& members,
        const std::vector<int>& pods, Conclusion& conclusion)
      : context_(context),
        members_(members),
        pods_(pods),
        conclusion_(conclusion) {}

  void Reach(bool with_objects) {
    Candidates& facts = conclusion_.facts;
    if (!members_.empty()) {
      conclusion_.gang = ReadGang(context_, members_, pods_, facts);
      conclusion_.exit_code =
          gang().named >= 0 ? members_[static_cast<std::size_t>(gang().named)]
                                  .reading.state.exit_code
                            : gang().state.exit_code;
    }
    conclusion_.not_the_programs =
        static_cast<int>(std::ranges::count_if(members_, IsNotTheProgramsEnd));
    pod_facts_ = facts.size();
    if (with_objects) ReadObjects();
    WeighObjects();
    Decide();
    Assess(context_, members_, pods_, conclusion_);
    conclusion_.ended_at = EndOfCulprit();
    Describe();
  }

 private:
  const Gang& gang() const { return conclusion_.gang; }

  void ReadObjects() {
    Candidates& facts = conclusion_.facts;
    const v1::FailureReport& report = context_.report;
    ReadCreationError(context_, facts);
    ReadQueue(context_, facts);
    ReadOperators(context_, facts);
    if (report.pods().empty()) ReadExit(context_, facts, conclusion_.exit_code);
    const bool failing = gang().root >= 0;
    const std::size_t before = facts.size();
    const bool open = LeavesOpen();
    if (!NothingWasCreated()) ReadOtherEvents(context_, facts);
    if (open) ReadSharedEvents(context_, facts);
    WeighOtherEvents(before);
    if (failing) KeepQueueEvents(before);
    if (!report.pods().empty() || !open) return;
    for (int i = 0; i < report.nodes_size(); ++i) ReadNode(context_, i, facts);
  }

  // Whether nodes and claims of whom nothing says that they are this workload's
  // may tell what happened: pods wait for something, or there is nothing else
  // to go by. How its own objects fare is not theirs to change.
  bool LeavesOpen() const {
    const v1::FailureReport& report = context_.report;
    if (!report.pods().empty()) return gang().running + gang().succeeded == 0;
    return !context_.owners.any() && !report.has_creation_error();
  }

  // What was not created has no pods and no Jobs that events could be about.
  bool NothingWasCreated() const {
    const v1::FailureReport& report = context_.report;
    return report.has_creation_error() && report.pods().empty() &&
           !context_.owners.any();
  }

  // Events are about other objects or from earlier: they break nothing that is
  // known to run or to have succeeded.
  void WeighOtherEvents(std::size_t before) {
    const bool runs =
        context_.owners.SayThatItRuns() ||
        (gang().root < 0 && gang().succeeded + gang().running > 0);
    const bool active = !context_.report.jobs().empty() &&
                        context_.report.jobs(0).status().active() > 0;
    // It has run: what was in the way of a replacement passes.
    const bool ran =
        std::ranges::any_of(context_.owners.views, &WorkloadView::has_run);
    for (std::size_t i = before; i < conclusion_.facts.size(); ++i) {
      Candidate& fact = conclusion_.facts[i];
      if (!fact.decides()) continue;
      if (runs && !fact.IsOf(kQueueWeight)) {
        Demote(fact, "the work goes on");
      } else if (HasSuccessor(fact)) {
        Demote(fact, "a pod has taken the place of the one that is gone");
      } else if ((active && IsAboutCreation(fact.cause)) ||
                 (ran && IsPassing(fact.cause))) {
        Demote(fact, "the pods were created after all");
      }
    }
  }

  // Whether the fact is of an event about a pod that is gone, and another one
  // began since and is well so far.
  bool HasSuccessor(const Candidate& fact) const {
    if (fact.place.root != Root::kEvents || !Known(fact.at)) return false;
    const auto& event = context_.report.events(fact.place.index);
    if (event.involved_object().kind() != "Pod") return false;
    const Seconds told = FirstTime(event);
    return std::ranges::any_of(pods_, [&](int pod) {
      const Member& member = members_[static_cast<std::size_t>(pod)];
      return !member.reading.failing() && !Before(member.begin, told);
    });
  }

  static bool IsAboutCreation(v1::Cause cause) {
    return cause == v1::API_TRANSIENT || cause == v1::CREATE_REJECTED ||
           cause == v1::CREATE_CONFLICT || cause == v1::QUOTA_EXCEEDED;
  }

  static bool IsPassing(v1::Cause cause) {
    return cause == v1::API_TRANSIENT || cause == v1::CREATE_CONFLICT;
  }

  // A pod that fails has its own story; of events about other objects only
  // those of a queue still matter.
  void KeepQueueEvents(std::size_t before) {
    for (std::size_t i = before; i < conclusion_.facts.size(); ++i) {
      Candidate& fact = conclusion_.facts[i];
      if (!fact.IsOf(kQueueWeight)) {
        Demote(fact, "the event is about another object");
      }
    }
  }

  // Objects above against the root pod, by time and kind of end.
  void WeighObjects() {
    Candidates& facts = conclusion_.facts;
    WeighSuspension(context_, facts);
    WeighDeadline(context_, gang(), facts);
    const PodState& state = gang().state;
    bool operator_failed = false;
    for (std::size_t i = pod_facts_; i < facts.size(); ++i) {
      Candidate& fact = facts[i];
      operator_failed |= fact.decides() && fact.cause != v1::SUCCEEDED;
      if (gang().root < 0 || !fact.decides() || IsOutcome(fact)) continue;
      const bool from_above = fact.order <= 2 * kQueueWeight;
      if (from_above && state.end != End::kClean &&
          Before(state.finished_at, fact.at)) {
        Demote(fact, "it happened after the container had ended");
      } else if ((fact.flags & kUnclearEndOnly) != 0 && !state.unclear_end()) {
        Demote(fact, "the container ended by itself");
      }
    }
    // A workload that failed for a reason of its own deletes what is left.
    for (std::size_t i = pod_facts_; i < facts.size(); ++i) {
      if (!facts[i].decides() || facts[i].tier < Tier::kSpecific ||
          !facts[i].IsOf(kOperatorWeight) || IsOutcome(facts[i])) {
        continue;
      }
      for (std::size_t pod = 0; pod < pod_facts_; ++pod) {
        if (facts[pod].row == &sign::kDeletionRequested) {
          Demote(facts[pod], "the workload had failed and cleaned up");
        }
      }
      break;
    }
    // Some pods succeeded, the workload did not: failed ones are gone.
    if (gang().root < 0 && operator_failed) {
      for (std::size_t i = 0; i < pod_facts_; ++i) {
        if (facts[i].cause == v1::SUCCEEDED) {
          Demote(facts[i], "the workload failed although this pod succeeded");
        }
      }
    }
  }

  void Decide() {
    Candidates& facts = conclusion_.facts;
    // Members that still run are no success yet.
    if (gang().root < 0 && gang().healthy > 0) {
      for (std::size_t i = 0; i < pod_facts_; ++i) {
        Demote(facts[i], "other pods have not succeeded yet");
      }
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!facts[i].decides()) continue;
      if (conclusion_.winner < 0 ||
          Stronger(facts[i], *conclusion_.decisive())) {
        conclusion_.winner = static_cast<int>(i);
      }
    }
    const Candidate* winner = conclusion_.decisive();
    if (winner == nullptr) return;
    conclusion_.cause = winner->cause;
    conclusion_.confidence = winner->confidence;
    if (gang().rootless) conclusion_.confidence = v1::Diagnosis::LOW;
    CheckStates();
    LookBehind(context_, conclusion_);
    CheckSuccess();
  }

  // A container cannot wait, run and have ended at once.
  void CheckStates() {
    const int pod = gang().root >= 0 ? gang().root : gang().first_succeeded;
    if (pod >= 0 && ContainerInTwoStates(context_.report.pods(pod))) {
      conclusion_.confidence =
          std::min(conclusion_.confidence, v1::Diagnosis::MEDIUM);
    }
  }

  // A failure the object that says it succeeded also speaks of. Evictions that
  // a Kueue Workload survived, and restarts, are none.
  const Candidate* FailureBeside(const Candidate& success) const {
    if (success.place.root == Root::kWorkload) return nullptr;
    for (std::size_t i = pod_facts_; i < conclusion_.facts.size(); ++i) {
      const Candidate& fact = conclusion_.facts[i];
      if (fact.row == nullptr || IsOutcome(fact) ||
          fact.cause == v1::SUSPENDED || IsOfMessage(fact) ||
          !AreOfOneObject(fact, success) ||
          StateOf(fact).substr(0, 10) == "Restarting") {
        continue;
      }
      return &fact;
    }
    return nullptr;
  }

  void CheckSuccess() {
    if (conclusion_.cause != v1::SUCCEEDED) return;
    const Candidate& success = *conclusion_.decisive();
    if (const Candidate* failure = FailureBeside(success)) {
      const ObjectName object = ObjectOf(context_.report, success.place);
      conclusion_.confidence = v1::Diagnosis::LOW;
      conclusion_.warnings.push_back(absl::StrCat(
          std::string(object.kind), object.name.empty() ? "" : " ",
          Excerpt(object.name), " says both ", Excerpt(StateOf(success)),
          " and ", Excerpt(StateOf(*failure)), ": it is taken as succeeded"));
    }
    for (std::size_t i = 0; i < pod_facts_; ++i) {
      const Candidate& fact = conclusion_.facts[i];
      if (fact.cause == v1::SUCCEEDED || fact.tier < Tier::kSpecific) continue;
      conclusion_.confidence =
          std::min(conclusion_.confidence, v1::Diagnosis::MEDIUM);
      conclusion_.warnings.push_back(
          absl::StrCat("the pod succeeded although its report also says ",
                       v1::Cause_Name(fact.cause)));
      return;
    }
    if (gang().succeeded_as_failed >= 0 && success.place.root == Root::kPods) {
      const auto& pod = context_.report.pods(gang().succeeded_as_failed);
      conclusion_.warnings.push_back(
          absl::StrCat("pod ", Excerpt(pod.metadata().name()),
                       ": phase is Failed, but its main containers exited "
                       "with code 0: it is taken as succeeded"));
    }
  }

  Seconds EndOfCulprit() const {
    const Candidate* winner = conclusion_.decisive();
    const bool of_pod = gang().root >= 0 || winner == nullptr ||
                        winner->place.root == Root::kPods;
    const int pod = gang().root >= 0 ? gang().root : gang().first_succeeded;
    if (pod >= 0 && of_pod) {
      const Member& member = members_[static_cast<std::size_t>(pod)];
      return member.ended() ? member.end : gang().state.finished_at;
    }
    const bool object_says = winner != nullptr &&
                             conclusion_.situation == v1::Diagnosis::BROKEN &&
                             winner->place.root != Root::kEvents &&
                             winner->place.root != Root::kNodes;
    return object_says ? winner->at : kUnknownTime;
  }

  void Describe() {
    const Candidate* winner = conclusion_.decisive();
    if (winner == nullptr) return;
    if (gang().state.recovered && winner->place.root == Root::kPods) {
      conclusion_.warnings.emplace_back(
          "the container runs again; the cause is that of its previous run");
    }
    if (gang().root < 0 && winner->row->key == key::kPodFailurePolicy) {
      ReadPolicyMessage(winner->place);
    }
  }

  void ReadPolicyMessage(const Place& place) {
    static const re2::RE2* const sentence = new re2::RE2(
        "Container (\\S+) for pod (?:\\S+/)?(\\S+) failed with exit code "
        "(-?\\d+)");
    const std::string& message = context_.report.jobs(place.index)
                                     .status()
                                     .conditions(place.item)
                                     .message();
    int code = 0;
    if (re2::RE2::PartialMatch(message, *sentence, &conclusion_.named_container,
                               &conclusion_.named_pod, &code)) {
      conclusion_.exit_code = code;
    }
  }

  const Context& context_;
  const std::vector<Member>& members_;
  const std::vector<int>& pods_;
  Conclusion& conclusion_;
  std::size_t pod_facts_ = 0;
};

}  // namespace

Judgement JudgeReport(const Context& context, const WasDecided& was_decided) {
  Judgement judgement;
  Conclusion& conclusion = judgement.conclusion;
  judgement.members = ReadMembers(context, conclusion.facts);
  if (was_decided) BoundByRecords(was_decided, judgement.members);
  judgement.attempts = SplitAttempts(
      judgement.members, OwnerAttemptsOf(context.owners), was_decided);
  Judge(context, judgement.members, judgement.attempts.current, conclusion)
      .Reach(/*with_objects=*/true);
  return judgement;
}

Conclusion JudgeEarlier(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods) {
  Conclusion conclusion;
  Judge(context, members, pods, conclusion).Reach(/*with_objects=*/false);
  return conclusion;
}

}  // namespace mulligan::demystify
