#include "policy/demystify/judge.h"

#include <re2/re2.h>

#include <algorithm>
#include <span>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/attempts.h"
#include "policy/demystify/blame.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"
#include "policy/demystify/odd_values.h"
#include "policy/demystify/readers/behind.h"
#include "policy/demystify/readers/creation_error_reader.h"
#include "policy/demystify/readers/event_reader.h"
#include "policy/demystify/readers/exit_reader.h"
#include "policy/demystify/readers/hint_reader.h"
#include "policy/demystify/readers/node_reader.h"
#include "policy/demystify/readers/operator_reader.h"
#include "policy/demystify/readers/queue_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/situation.h"
#include "policy/demystify/was_decided.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

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

bool IsOfQueue(const Candidate& fact) {
  return fact.decides() && fact.place.root == Root::kWorkload;
}

// Of an object: it says that the workload failed.
bool Fails(const Candidate& fact) {
  return fact.decides() && fact.cause != v1::SUCCEEDED;
}
// That its deadline passed.
bool IsOfDeadline(const Candidate& fact) {
  return fact.decides() && fact.cause == v1::DEADLINE_JOB;
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
  return std::ranges::any_of(events, [](const auto& event) {
    return event.reason() == "Started" &&
           event.involved_object().kind() == "Pod";
  });
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
    WeighAll();
    Decide();
    if (with_objects) HearHints();
    Assess(context_, members_, pods_, conclusion_);
    conclusion_.ended_at = EndOfCulprit();
    conclusion_.exit_code = CulpritExitCode(context_.report, conclusion_);
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
    const std::size_t before = facts.size();
    const bool open = LeavesOpen();
    if (!NothingWasCreated()) ReadOtherEvents(context_, facts);
    if (open) ReadSharedEvents(context_, facts);
    WeighOtherEvents(before);
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

  void WeighOtherEvents(std::size_t before) {
    const auto& jobs = context_.report.jobs();
    const auto& views = context_.owners.views;
    Scene scene = {
        .fails = gang().root >= 0,
        .work_goes_on =
            context_.owners.SayThatItRuns() ||
            (gang().root < 0 && gang().succeeded + gang().running > 0),
        .has_active = !jobs.empty() && jobs[0].status().active() > 0,
        .has_run = std::ranges::any_of(views, &WorkloadView::has_run)};
    for (Candidate& fact : FactsFrom(before)) {
      scene.has_successor = HasSuccessor(fact);
      Weigh(Round::kEvents, fact, scene);
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

  std::span<Candidate> FactsFrom(std::size_t first) {
    return std::span(conclusion_.facts).subspan(first);
  }
  std::span<Candidate> PodFacts() {
    return std::span(conclusion_.facts).first(pod_facts_);
  }

  // Objects above against the root pod, by time and kind of end, and what they
  // say against what it says.
  void WeighAll() {
    const Candidates& facts = conclusion_.facts;
    Scene scene = {
        .state = gang().state,
        .fails = gang().root >= 0,
        .gave_up = context_.owners.gave_up(),
        .failed_since = context_.owners.failed_since.value_or(kUnknownTime),
        .queue_says = std::ranges::any_of(facts, IsOfQueue),
        .kept_from_starting = std::ranges::any_of(facts, KeepsFromStarting) &&
                              !SomePodStarted(context_, gang())};
    Weigh(Round::kObjects, PodFacts(), scene);
    scene.of_objects = true;
    Weigh(Round::kObjects, FactsFrom(pod_facts_), scene);
    scene.others_live = gang().healthy > 0;
    scene.workload_failed = std::ranges::any_of(FactsFrom(pod_facts_), Fails);
    scene.deadline_passed =
        context_.owners.gave_up() &&
        std::ranges::any_of(FactsFrom(pod_facts_), IsOfDeadline);
    Weigh(Round::kMembers, PodFacts(), scene);
  }

  void Decide() {
    const Candidate* strongest = Strongest(conclusion_.facts);
    if (strongest == nullptr) return;
    conclusion_.winner = static_cast<int>(strongest - conclusion_.facts.data());
    conclusion_.cause = strongest->cause;
    conclusion_.confidence = strongest->confidence;
    Trust(Round::kSure,
          {.rootless = gang().rootless, .in_two_states = IsInTwoStates()});
    LookBehind(context_, conclusion_);
    CheckSuccess();
  }

  // What others say names the cause where the answer leaves it open, or makes
  // it surer where they agree.
  void HearHints() {
    if (conclusion_.decisive() == nullptr) return;
    Candidates& facts = conclusion_.facts;
    const std::size_t first = facts.size();
    ReadHints(context_, facts);
    const v1::Cause cause = conclusion_.cause;
    const v1::Diagnosis::Confidence confidence = conclusion_.confidence;
    Weigh(Round::kOthers, FactsFrom(first),
          {.strongest = conclusion_.decisive(),
           .cause = cause,
           .confidence = confidence});
    for (std::size_t i = first; i < facts.size(); ++i) {
      const Candidate& hint = facts[i];
      if (!hint.decides()) continue;
      if (hint.cause == cause) {
        conclusion_.confidence =
            std::max(conclusion_.confidence, hint.confidence);
      } else if (conclusion_.hint < 0 ||
                 hint.confidence > conclusion_.naming()->confidence) {
        conclusion_.hint = static_cast<int>(i);
      }
    }
    if (conclusion_.hint < 0) return;
    conclusion_.cause = conclusion_.naming()->cause;
    conclusion_.confidence = conclusion_.naming()->confidence;
  }

  // How sure the answer is, weighed as the fact that decided.
  void Trust(Round round, const Scene& scene) {
    Candidate decisive = *conclusion_.decisive();
    decisive.confidence = conclusion_.confidence;
    Weigh(round, decisive, scene);
    conclusion_.confidence = decisive.confidence;
  }

  bool IsInTwoStates() const {
    const int pod = gang().subject();
    return pod >= 0 && ContainerInTwoStates(context_.report.pods(pod));
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

  // What the pod says besides of trouble; null: nothing.
  const Candidate* TroubleOfPod() {
    const auto facts = PodFacts();
    const auto trouble = std::ranges::find_if(facts, [](const Candidate& fact) {
      return fact.cause != v1::SUCCEEDED && fact.tier >= Tier::kSpecific;
    });
    return trouble == facts.end() ? nullptr : &*trouble;
  }

  void CheckSuccess() {
    if (conclusion_.cause != v1::SUCCEEDED) return;
    const Candidate& success = *conclusion_.decisive();
    const Candidate* failure = FailureBeside(success);
    const Candidate* trouble = TroubleOfPod();
    Trust(Round::kSuccess, {.says_failure = failure != nullptr,
                            .pod_says_failure = trouble != nullptr});
    if (failure != nullptr) {
      const ObjectName object = ObjectOf(context_.report, success.place);
      conclusion_.warnings.push_back(absl::StrCat(
          std::string(object.kind), object.name.empty() ? "" : " ",
          Excerpt(object.name), " says both ", Excerpt(StateOf(success)),
          " and ", Excerpt(StateOf(*failure)), ": it is taken as succeeded"));
    }
    if (trouble != nullptr) {
      conclusion_.warnings.push_back(
          absl::StrCat("the pod succeeded although its report also says ",
                       v1::Cause_Name(trouble->cause)));
    } else if (gang().succeeded_as_failed >= 0 &&
               success.place.root == Root::kPods) {
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
    const int pod = gang().subject();
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
