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
    "IsAnswered",      "ChargesTheTruth", "ChargesReported", "ChargesNoMore",
    "ChargesNoHealth", "LeavesAlone",     "LetsSuccessBe",   "WaitsForTheEnd",
    "FailsForAReason", "ForgetsNothing",  "SharesTheLedger", "EndsLoops",
    "TextAgrees"};

// A playback with its answers, and the violations found in it.
struct Trial {
  const AnnotatedStory& annotated;
  const Playback& playback;
  const std::vector<Answer>& answers;
  std::vector<Violation> found;

  int Asks() const { return static_cast<int>(playback.asks.size()); }
  const Ask& AskAt(int i) const {
    return playback.asks[static_cast<std::size_t>(i)];
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

// Whether the error is correct: the ledger belongs to another workload, which
// neither the report names nor anything ties to earlier reports of the only
// caller. With two callers, one may not know the workload of the other.
bool MayBeRefused(const Trial& trial, int ask) {
  if (trial.AnswerAt(ask).status.code() == absl::StatusCode::kInvalidArgument) {
    return HasStrangers(trial.AskAt(ask).report);
  }
  if (trial.AnswerAt(ask).status.code() !=
      absl::StatusCode::kFailedPrecondition) {
    return false;
  }
  // Driver pods without their SparkApplication name no owner.
  if (trial.annotated.story.needs == "SparkApplication" &&
      !trial.AskAt(ask).report.has_spark_application()) {
    return true;
  }
  const std::set<std::string> own = TiesOf(trial.AskAt(ask).report);
  if (own.contains(trial.LedgerBefore(ask).workload_uid())) return false;
  if (trial.playback.callers.size() > 1) return true;
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

bool IsWhole(const Playback& playback) {
  return std::ranges::all_of(playback.callers, SeesAll);
}

bool AllPodsAreInView(const Playback& playback) {
  return std::ranges::all_of(playback.callers, [](const Caller& caller) {
    return caller.view == View::kPods || caller.view == View::kPodsAndJobs ||
           caller.view == View::kAll || caller.view == View::kAllAndEvents;
  });
}

// Whether the pods show every failure that happened.
bool PodsShowAll(const AnnotatedStory& annotated) {
  return static_cast<int>(annotated.incidents.size()) ==
         Sum(annotated.story.truth);
}

std::set<std::string> PodsShownEnded(const v1::FailureReport& report) {
  std::set<std::string> ended;
  for (const auto& pod : report.pods()) {
    if (EndedBadly(pod)) ended.insert(pod.metadata().uid());
  }
  return ended;
}

// Whether one of the first `count` asks reported the incident while it was
// open. An answer of WAIT does not count, since its caller has to ask again.
bool IsReportedWhileOpen(const Incident& incident, const Trial& trial,
                         int count) {
  const auto asks =
      std::span(trial.playback.asks).first(static_cast<std::size_t>(count));
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

// Whether a report showed trouble without the end of a pod that had already
// ended, of a failure not reported while it was open. Its budget is then a
// guess.
bool HidesAnEnd(const Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (!ShowsTrouble(ask.report)) continue;
    if (!trial.annotated.story.needs.empty() && LacksANode(ask.report))
      return true;
    const std::set<std::string> shown = PodsShownEnded(ask.report);
    for (const Incident& incident : trial.annotated.incidents) {
      const bool hides =
          std::ranges::any_of(incident.ended, [&](const auto& ended) {
            return ended.second <= ask.change && !shown.contains(ended.first);
          });
      if (hides && !IsReportedWhileOpen(incident, trial, i)) return true;
    }
  }
  return false;
}

// Whether the budgets can be distinguished, and not only their sum.
bool ShowsTheBudgets(const Trial& trial) {
  return AllPodsAreInView(trial.playback) && PodsShowAll(trial.annotated) &&
         !HidesAnEnd(trial);
}

Invariant For(const Playback& playback, Invariant invariant) {
  return playback.callers.size() > 1 ? Invariant::kSharesTheLedger : invariant;
}

std::string InComparison(const std::map<std::string, int>& charged,
                         const Trial& trial) {
  return absl::StrCat("charged ", ToText(charged), "; happened ",
                      ToText(trial.annotated.story.truth));
}

void CheckChargesTheTruth(Trial& trial) {
  if (!IsWhole(trial.playback) || trial.answers.empty()) return;
  const auto charged = Charged(trial.answers.back().ledger);
  if (charged == trial.annotated.story.truth) return;
  trial.Add(Invariant::kChargesTheTruth, trial.Asks() - 1,
            InComparison(charged, trial));
}

void CheckChargesReported(Trial& trial) {
  const auto& incidents = trial.annotated.incidents;
  if (!PodsShowAll(trial.annotated) || trial.answers.empty() ||
      !AllAreAnswered(trial) ||
      !std::ranges::all_of(incidents, [&trial](const Incident& incident) {
        return IsReportedWhileOpen(incident, trial, trial.Asks());
      })) {
    return;
  }
  const auto charged = Charged(trial.answers.back().ledger);
  const auto& truth = trial.annotated.story.truth;
  if (ShowsTheBudgets(trial) ? charged == truth : Sum(charged) == Sum(truth)) {
    return;
  }
  trial.Add(For(trial.playback, Invariant::kChargesReported), trial.Asks() - 1,
            InComparison(charged, trial));
}

void CheckChargesNoMore(Trial& trial) {
  const auto& truth = trial.annotated.story.truth;
  const bool shows_budgets = ShowsTheBudgets(trial);
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto charged = Charged(trial.AnswerAt(i).ledger);
    const bool is_more =
        Sum(charged) > Sum(truth) + trial.annotated.story.unpaid ||
        (shows_budgets &&
         std::ranges::any_of(charged, [&truth](const auto& one) {
           const auto happened = truth.find(one.first);
           return happened == truth.end() || one.second > happened->second;
         }));
    if (is_more) {
      trial.Add(For(trial.playback, Invariant::kChargesNoMore), i,
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
              absl::StrCat("had ", ToText(before), ", has ", ToText(after)));
  }
}

// Whether the story ends in a failure, or has one that no budget pays for.
bool MayFail(const Story& story) {
  return story.ends == "failed" || story.unpaid > 0;
}

// Whether the answer stops retries of others.
bool EndsRetries(const Answer& answer) {
  return answer.response.explanation().decided_by() == v1::Explanation::BRAKE;
}

void CheckLeavesAlone(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    const Answer& answer = trial.AnswerAt(i);
    const Story& story = trial.annotated.story;
    const bool ends_loop =
        EndsRetries(answer) && (story.loop_ends > 0 || MayFail(story));
    if (ask.is_old || !Acts(answer) || ends_loop ||
        (ShowsOpenTrouble(ask.report) && !EndsRetries(answer))) {
      continue;
    }
    trial.Add(Invariant::kLeavesAlone, i,
              absl::StrCat(Did(trial.AnswerAt(i)), " of what goes on"));
  }
}

void CheckEndsLoops(Trial& trial) {
  const double third = trial.annotated.story.loop_ends;
  if (third == 0 || !IsWhole(trial.playback) || trial.answers.empty()) return;
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto change = static_cast<std::size_t>(trial.AskAt(i).change);
    const absl::Time at = trial.annotated.story.changes[change].at;
    if (at >= absl::FromUnixMicros(static_cast<std::int64_t>(third * 1e6))) {
      trial.Add(Invariant::kEndsLoops, i, "nothing has ended it");
      return;
    }
    if (Acts(trial.AnswerAt(i))) return;
  }
}

void CheckTextAgrees(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const v1::DecideResponse& answer = trial.AnswerAt(i).response;
    const std::string& text = answer.decision().sentence();
    if (answer.diagnosis().situation() == v1::Diagnosis::BROKEN &&
        text.find("goes on") != std::string::npos) {
      trial.Add(Invariant::kTextAgrees, i, text);
    }
  }
}

void CheckLetsSuccessBe(Trial& trial) {
  std::set<int> reported_success;
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (ask.is_old) continue;
    if (ShowsSuccess(ask.report, trial.annotated.story.top)) {
      reported_success.insert(ask.caller);
    }
    if (Acts(trial.AnswerAt(i)) && reported_success.contains(ask.caller)) {
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
      // It includes the grace period.
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

// By the truth, not by the ledger: a budget that was charged twice for one
// failure is not exhausted.
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
  const Story& story = trial.annotated.story;
  if (MayFail(story)) return;
  for (int i = 0; i < trial.Asks(); ++i) {
    const auto& response = trial.AnswerAt(i).response;
    if (trial.AskAt(i).is_old ||
        response.decision().action() != v1::Decision::FAIL ||
        IsUsedUp(response.accounting(), story)) {
      continue;
    }
    // Without its owner in view, a pod with a mistake in its program is given
    // up.
    const View view =
        trial.playback.callers[static_cast<std::size_t>(trial.AskAt(i).caller)]
            .view;
    if ((view == View::kPods || view == View::kOnePod) &&
        response.diagnosis().outlook() == v1::Diagnosis::CANNOT_RECOVER) {
      continue;
    }
    trial.Add(Invariant::kFailsForAReason, i,
              absl::StrCat("FAIL, and the story ", story.ends));
  }
}

// Whether the ledger has every failure so far, so that a report that was not
// sent before adds nothing.
bool HasAllSoFar(const Trial& trial, int ask) {
  // If no pod's end shows the failure, a late report may be the first to do so.
  if (MayFail(trial.annotated.story)) return false;
  int happened = 0;
  for (const Incident& incident : trial.annotated.incidents) {
    if (incident.first > trial.AskAt(ask).change) continue;
    ++happened;
    if (!IsReportedWhileOpen(incident, trial, ask)) return false;
  }
  return PodsShowAll(trial.annotated) &&
         Sum(Charged(trial.LedgerBefore(ask))) == happened;
}

void CheckForgetsNothing(Trial& trial) {
  for (int i = 0; i < trial.Asks(); ++i) {
    const Ask& ask = trial.AskAt(i);
    if (!ask.is_old || (!ask.is_resent && !HasAllSoFar(trial, i))) continue;
    const v1::BudgetLedger before = trial.LedgerBefore(i);
    const v1::BudgetLedger& after = trial.AnswerAt(i).ledger;
    if (Charged(before) == Charged(after) &&
        before.attempts_seen() == after.attempts_seen()) {
      continue;
    }
    trial.Add(
        Invariant::kForgetsNothing, i,
        absl::StrCat(ask.is_resent ? "reported again" : "reported late",
                     ": had ", ToText(Charged(before)), " in ",
                     before.attempts_seen(), " attempts, has ",
                     ToText(Charged(after)), " in ", after.attempts_seen()));
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

std::vector<Violation> FindViolations(const AnnotatedStory& annotated,
                                      const Playback& playback,
                                      const std::vector<Answer>& answers) {
  Trial trial{annotated, playback, answers, {}};
  CheckIsAnswered(trial);
  CheckChargesTheTruth(trial);
  CheckChargesReported(trial);
  CheckChargesNoMore(trial);
  CheckChargesNoHealth(trial);
  CheckLeavesAlone(trial);
  CheckLetsSuccessBe(trial);
  CheckWaitsForTheEnd(trial);
  CheckFailsForAReason(trial);
  CheckForgetsNothing(trial);
  CheckEndsLoops(trial);
  CheckTextAgrees(trial);
  return std::move(trial.found);
}

}  // namespace mulligan::stories
