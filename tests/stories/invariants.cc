#include "tests/stories/invariants.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "absl/strings/str_cat.h"
#include "tests/stories/signs.h"
#include "tests/stories/ties.h"

namespace mulligan::stories {
namespace {

constexpr const char* kNames[kInvariants] = {
    "IsAnswered",     "ChargesTheTruth", "ChargesWhatWasTold",
    "ChargesNoMore",  "ChargesNoHealth", "LeavesAlone",
    "LetsSuccessBe",  "WaitsForTheEnd",  "FailsForAReason",
    "ForgetsNothing", "SharesTheLedger", "EndsLoops"};

// What the checks look at, and where they put what they find.
struct Trial {
  const ToldStory& told;
  const Telling& telling;
  const std::vector<Answer>& answers;
  std::vector<Violation> found;

  int Asks() const { return static_cast<int>(telling.asks.size()); }
  const Ask& AskAt(int i) const {
    return telling.asks[static_cast<std::size_t>(i)];
  }
  const Answer& AnswerAt(int i) const {
    return answers[static_cast<std::size_t>(i)];
  }
  v1::BudgetLedger LedgerBefore(int i) const {
    return i == 0 ? v1::BudgetLedger() : AnswerAt(i - 1).ledger;
  }
  void Add(Invariant invariant, int ask, std::string what) {
    const bool is_known = std::ranges::any_of(
        found,
        [invariant](const auto& one) { return one.invariant == invariant; });
    if (!is_known) found.push_back({invariant, ask, std::move(what)});
  }
};

bool Acts(const Answer& answer) {
  const auto action = answer.response.decision().action();
  return action == v1::Decision::RETRY || action == v1::Decision::FAIL;
}

std::string Did(const Answer& answer) {
  return v1::Decision::Action_Name(answer.response.decision().action());
}

// That the ledger is another workload's is the right answer where the report
// does not name that one, and nothing in it ties it to what its only caller
// told before. (Of two callers, one may not know whom the other spoke of.)
bool MayBeRefused(const Trial& trial, int ask) {
  if (trial.AnswerAt(ask).status.code() == absl::StatusCode::kInvalidArgument) {
    return HasStrangers(trial.AskAt(ask).report);
  }
  if (trial.AnswerAt(ask).status.code() !=
      absl::StatusCode::kFailedPrecondition) {
    return false;
  }
  // Driver pods without their SparkApplication name no owner.
  if (trial.told.story.needs == "SparkApplication" &&
      !trial.AskAt(ask).report.has_spark_application()) {
    return true;
  }
  const std::set<std::string> own = TiesOf(trial.AskAt(ask).report);
  if (own.contains(trial.LedgerBefore(ask).workload_uid())) return false;
  if (trial.telling.callers.size() > 1) return true;
  for (int i = 0; i < ask; ++i) {
    if (!trial.AnswerAt(i).status.ok() ||
        trial.LedgerBefore(i).workload_uid().empty()) {
      continue;
    }
    for (const std::string& tie : TiesOf(trial.AskAt(i).report)) {
      if (own.contains(tie)) return false;
    }
  }
  return true;
}

bool AllAreAnswered(const Trial& trial) {
  return std::ranges::all_of(
      trial.answers, [](const Answer& answer) { return answer.status.ok(); });
}

void CheckIsAnswered(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    if (trial.AnswerAt(i).status.ok() || MayBeRefused(trial, i)) continue;
    trial.Add(Invariant::kIsAnswered, i,
              std::string(trial.AnswerAt(i).status.message()));
  }
}

bool IsWhole(const Telling& telling) {
  return std::ranges::all_of(telling.callers, SeesAll);
}

bool AllPodsAreInView(const Telling& telling) {
  return std::ranges::all_of(telling.callers, [](const Caller& caller) {
    return caller.view == View::kPods || caller.view == View::kPodsAndJobs ||
           caller.view == View::kAll || caller.view == View::kAllAndEvents;
  });
}

// Each failure that happened is one that the pods tell of.
bool PodsTellAll(const ToldStory& told) {
  return static_cast<int>(told.incidents.size()) == Sum(told.story.truth);
}

std::set<std::string> PodsShownEnded(const v1::FailureReport& report) {
  std::set<std::string> ended;
  for (const auto& pod : report.pods()) {
    if (EndedBadly(pod)) ended.insert(pod.metadata().uid());
  }
  return ended;
}

// By one of the first `count` asks, if it was answered: who is told to WAIT has
// to ask again.
bool IsToldWhileOpen(const Incident& incident, const Trial& trial, int count) {
  const auto asks =
      std::span(trial.telling.asks).first(static_cast<std::size_t>(count));
  int i = 0;
  return std::ranges::any_of(asks, [&](const Ask& ask) {
    const auto& answer = trial.AnswerAt(i++).response;
    if (ask.is_old || ask.change < incident.first ||
        ask.change >= incident.closed ||
        answer.decision().action() == v1::Decision::WAIT) {
      return false;
    }
    const auto ended = PodsShownEnded(ask.report);
    return std::ranges::any_of(ended, [&incident](const std::string& uid) {
      return incident.ended.contains(uid);
    });
  });
}

// Whether some report told of trouble but not of the end of a pod that had
// ended by then, of a failure that was not told while it was open: what that
// was charged for is a guess.
bool HidesAnEnd(const Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (!ShowsTrouble(ask.report)) continue;
    if (!trial.told.story.needs.empty() && LacksANode(ask.report)) return true;
    const std::set<std::string> shown = PodsShownEnded(ask.report);
    for (const Incident& incident : trial.told.incidents) {
      const bool hides =
          std::ranges::any_of(incident.ended, [&](const auto& ended) {
            return ended.second <= ask.change && !shown.contains(ended.first);
          });
      if (hides && !IsToldWhileOpen(incident, trial, i)) return true;
    }
  }
  return false;
}

// Whether the budgets can be told apart, and not only their sum.
bool TellsTheBudgets(const Trial& trial) {
  return AllPodsAreInView(trial.telling) && PodsTellAll(trial.told) &&
         !HidesAnEnd(trial);
}

Invariant For(const Telling& telling, Invariant invariant) {
  return telling.callers.size() > 1 ? Invariant::kSharesTheLedger : invariant;
}

std::string InComparison(const std::map<std::string, int>& charged,
                         const Trial& trial) {
  return absl::StrCat("charged ", InWords(charged), "; happened ",
                      InWords(trial.told.story.truth));
}

void CheckChargesTheTruth(Trial& trial) {
  if (!IsWhole(trial.telling) || trial.answers.empty()) return;
  const auto charged = Charged(trial.answers.back().ledger);
  if (charged == trial.told.story.truth) return;
  trial.Add(Invariant::kChargesTheTruth, trial.Asks() - 1,
            InComparison(charged, trial));
}

void CheckChargesWhatWasTold(Trial& trial) {
  const auto& incidents = trial.told.incidents;
  if (!PodsTellAll(trial.told) || trial.answers.empty() ||
      !AllAreAnswered(trial) ||
      !std::ranges::all_of(incidents, [&trial](const Incident& incident) {
        return IsToldWhileOpen(incident, trial, trial.Asks());
      })) {
    return;
  }
  const auto charged = Charged(trial.answers.back().ledger);
  const auto& truth = trial.told.story.truth;
  if (TellsTheBudgets(trial) ? charged == truth : Sum(charged) == Sum(truth)) {
    return;
  }
  trial.Add(For(trial.telling, Invariant::kChargesWhatWasTold),
            trial.Asks() - 1, InComparison(charged, trial));
}

void CheckChargesNoMore(Trial& trial) {
  const auto& truth = trial.told.story.truth;
  const bool tells_budgets = TellsTheBudgets(trial);
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto charged = Charged(trial.AnswerAt(i).ledger);
    const bool is_more =
        Sum(charged) > Sum(truth) + trial.told.story.unpaid ||
        (tells_budgets &&
         std::ranges::any_of(charged, [&truth](const auto& one) {
           const auto happened = truth.find(one.first);
           return happened == truth.end() || one.second > happened->second;
         }));
    if (is_more) {
      trial.Add(For(trial.telling, Invariant::kChargesNoMore), i,
                InComparison(charged, trial));
    }
  }
}

void CheckChargesNoHealth(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto before = Charged(trial.LedgerBefore(i));
    const auto after = Charged(trial.AnswerAt(i).ledger);
    if (Sum(after) <= Sum(before) || ShowsTrouble(trial.AskAt(i).report)) {
      continue;
    }
    trial.Add(Invariant::kChargesNoHealth, i,
              absl::StrCat("had ", InWords(before), ", has ", InWords(after)));
  }
}

// Whether the brake ended the retries of others.
bool EndsRetries(const Answer& answer) {
  return answer.response.explanation().decided_by() == v1::Explanation::BRAKE;
}

void CheckLeavesAlone(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    const Answer& answer = trial.AnswerAt(i);
    const bool ends_loop =
        EndsRetries(answer) && trial.told.story.loop_ends > 0;
    if (ask.is_old || !Acts(answer) || ends_loop ||
        (ShowsOpenTrouble(ask.report) && !EndsRetries(answer))) {
      continue;
    }
    trial.Add(Invariant::kLeavesAlone, i,
              absl::StrCat(Did(trial.AnswerAt(i)), " of what goes on"));
  }
}

void CheckEndsLoops(Trial& trial) {
  const double third = trial.told.story.loop_ends;
  if (third == 0 || !IsWhole(trial.telling) || trial.answers.empty()) return;
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto change = static_cast<std::size_t>(trial.AskAt(i).change);
    const absl::Time at = trial.told.story.changes[change].at;
    if (at >= absl::FromUnixMicros(static_cast<std::int64_t>(third * 1e6))) {
      trial.Add(Invariant::kEndsLoops, i, "nothing has ended it");
      return;
    }
    if (Acts(trial.AnswerAt(i))) return;
  }
}

void CheckLetsSuccessBe(Trial& trial) {
  std::set<int> told_success;
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (ask.is_old) continue;
    if (ShowsSuccess(ask.report, trial.told.story.top)) {
      told_success.insert(ask.caller);
    }
    if (Acts(trial.AnswerAt(i)) && told_success.contains(ask.caller)) {
      trial.Add(Invariant::kLetsSuccessBe, i,
                absl::StrCat(Did(trial.AnswerAt(i)), " after success"));
    }
  }
}

double Seconds(std::int64_t seconds, int nanos) {
  return static_cast<double>(seconds) + nanos / 1e9;
}

void CheckWaitsForTheEnd(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    const auto& answer = trial.AnswerAt(i).response;
    const auto& decision = answer.decision();
    if (ask.is_old || decision.action() != v1::Decision::RETRY) continue;
    const double due = Seconds(ask.report.observed_at().seconds(),
                               ask.report.observed_at().nanos()) +
                       Seconds(decision.retry_after().seconds(),
                               decision.retry_after().nanos());
    for (const auto& pod : ask.report.pods()) {
      // The grace period is contained in it.
      const auto gone = pod.metadata().deletion_timestamp().seconds();
      const bool failed =
          pod.metadata().name() == answer.diagnosis().culprit().pod() ||
          IsDisrupted(pod);
      if (failed && HasRunningContainer(pod) &&
          due < static_cast<double>(gone)) {
        trial.Add(Invariant::kWaitsForTheEnd, i,
                  absl::StrCat("RETRY is due ", static_cast<double>(gone) - due,
                               " s before pod ", pod.metadata().name(),
                               " can be gone"));
      }
    }
  }
}

// It ends so, or by what no budget pays for.
bool MayFail(const Story& story) {
  return story.ends == "failed" || story.unpaid > 0;
}

// Told by the truth, not by the ledger: a budget that was charged twice for one
// failure is not used up.
bool IsUsedUp(const v1::Accounting& accounting, const Story& story) {
  const auto& exhaustion = accounting.exhaustion();
  if (exhaustion.limit() == v1::Exhaustion::MAX_ATTEMPTS) {
    return Sum(story.truth) >= exhaustion.bound();
  }
  const auto happened = story.truth.find(exhaustion.budget());
  return exhaustion.limit() == v1::Exhaustion::BUDGET &&
         happened != story.truth.end() &&
         happened->second >= exhaustion.bound();
}

void CheckFailsForAReason(Trial& trial) {
  const Story& story = trial.told.story;
  if (MayFail(story)) return;
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto& response = trial.AnswerAt(i).response;
    if (trial.AskAt(i).is_old ||
        response.decision().action() != v1::Decision::FAIL ||
        IsUsedUp(response.accounting(), story)) {
      continue;
    }
    trial.Add(Invariant::kFailsForAReason, i,
              absl::StrCat("FAIL, and the story ", story.ends));
  }
}

// The ledger has all that happened by then, and a report that was never told
// cannot know better.
bool HasAllSoFar(const Trial& trial, int ask) {
  // Of what no pod's end tells, a late report may be the first to tell.
  if (MayFail(trial.told.story)) return false;
  int happened = 0;
  for (const Incident& incident : trial.told.incidents) {
    if (incident.first > trial.AskAt(ask).change) continue;
    ++happened;
    if (!IsToldWhileOpen(incident, trial, ask)) return false;
  }
  return PodsTellAll(trial.told) &&
         Sum(Charged(trial.LedgerBefore(ask))) == happened;
}

void CheckForgetsNothing(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (!ask.is_old || (!ask.is_retold && !HasAllSoFar(trial, i))) continue;
    const v1::BudgetLedger before = trial.LedgerBefore(i);
    const v1::BudgetLedger& after = trial.AnswerAt(i).ledger;
    if (Charged(before) == Charged(after) &&
        before.attempts_seen() == after.attempts_seen()) {
      continue;
    }
    trial.Add(
        Invariant::kForgetsNothing, i,
        absl::StrCat(ask.is_retold ? "told again" : "told late", ": had ",
                     InWords(Charged(before)), " in ", before.attempts_seen(),
                     " attempts, has ", InWords(Charged(after)), " in ",
                     after.attempts_seen()));
  }
}

}  // namespace

const char* Name(Invariant invariant) {
  return kNames[static_cast<int>(invariant)];
}

std::map<std::string, int> Charged(const v1::BudgetLedger& ledger) {
  std::map<std::string, int> charged;
  for (const auto& [budget, use] : ledger.budgets()) {
    if (use.used() > 0) charged[budget] = use.used();
  }
  return charged;
}

std::vector<Violation> FindViolations(const ToldStory& told,
                                      const Telling& telling,
                                      const std::vector<Answer>& answers) {
  Trial trial{told, telling, answers, {}};
  CheckIsAnswered(trial);
  CheckChargesTheTruth(trial);
  CheckChargesWhatWasTold(trial);
  CheckChargesNoMore(trial);
  CheckChargesNoHealth(trial);
  CheckLeavesAlone(trial);
  CheckLetsSuccessBe(trial);
  CheckWaitsForTheEnd(trial);
  CheckFailsForAReason(trial);
  CheckForgetsNothing(trial);
  CheckEndsLoops(trial);
  return std::move(trial.found);
}

}  // namespace mulligan::stories
