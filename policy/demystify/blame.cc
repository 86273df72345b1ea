#include "policy/demystify/blame.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

using v1::Diagnosis;

// Returns how many restarts by the kubelet show that another does not help; 0
// if no number does.
int EnoughRestarts(v1::Cause cause) {
  switch (cause) {
    case v1::PROBE_KILLED:
      // A probe that killed so often will always kill too early.
      return 3;
    case v1::APP_ERROR:
    case v1::CONFIG_USER_ERROR:
    case v1::CRASH_SIGNAL:
    case v1::COLLECTIVE_CASCADE:
      // The restarts span ten minutes of back-off (10 s, doubled each time).
      return 6;
    default:
      return 0;
  }
}

// Seconds. A program that ran longer resumes from a checkpoint and may get past
// its own error.
constexpr Seconds kLongRun = 15 * 60;

// Returns whether the failure may pass after a long run. A wrong setting does
// not, unless only an exit code shows it or it may have been right (kMayFade).
bool MayPassLater(const Conclusion& conclusion) {
  switch (conclusion.cause) {
    case v1::APP_ERROR:
    case v1::CRASH_SIGNAL:
    case v1::PROBE_KILLED:
      return true;
    case v1::CONFIG_USER_ERROR: {
      const Candidate* winner = conclusion.decisive();
      return winner != nullptr && winner->row != nullptr &&
             (winner->row->tier < Tier::kSpecific ||
              (winner->row->flags & kMayFade) != 0);
    }
    default:
      return false;
  }
}

const kubernetes::core::v1::ContainerStatus* FailedContainer(
    const Context& context, const Conclusion& conclusion) {
  return conclusion.gang.root < 0
             ? nullptr
             : CulpritContainer(context.report, conclusion);
}

// The number of starts after the first failure, and the counter.
struct Restarts {
  std::int64_t count = 0;
  const char* by = "";
};

// If only an object above the pods reports the failure, uses the container with
// the most restarts.
std::int64_t KubeletRestarts(const Context& context,
                             const Conclusion& conclusion) {
  if (const auto* status = FailedContainer(context, conclusion)) {
    return status->restart_count();
  }
  std::int64_t most = 0;
  for (const auto& pod : context.report.pods()) {
    for (const auto& status : pod.status().container_statuses()) {
      most = std::max<std::int64_t>(most, status.restart_count());
    }
  }
  return conclusion.gang.root < 0 ? most : 0;
}

// For a Job that runs one pod at a time, each failed pod is a start; other Jobs
// may run them in parallel. Failures that are not the program's do not count.
Restarts RestartsOf(const Context& context, const Conclusion& conclusion) {
  Restarts most = {KubeletRestarts(context, conclusion),
                   "the kubelet started the container "};
  if (context.report.jobs_size() != 1) return most;
  const auto& job = context.report.jobs(0);
  const bool one =
      (!job.spec().has_parallelism() || job.spec().parallelism() == 1) &&
      (!job.spec().has_completions() || job.spec().completions() == 1);
  const std::int64_t failed =
      std::int64_t{job.status().failed()} -
      std::max(context.external_ends, conclusion.external_ends);
  if (one && failed > 0 && failed - 1 > most.count) {
    most = {failed - 1, "the Job started a pod "};
  }
  return most;
}

// Returns a fact of the cause whose row sets `field`, or null.
template <typename Value>
const Candidate* FactWith(const Conclusion& conclusion,
                          Value Signature::*field) {
  const auto sets_field = [&](const Candidate& fact) {
    return fact.row != nullptr && fact.cause == conclusion.cause &&
           fact.row->cause == fact.cause && fact.row->*field != Value{};
  };
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && sets_field(*winner)) return winner;
  for (const Candidate& fact : conclusion.facts) {
    if (sets_field(fact)) return &fact;
  }
  return nullptr;
}

// A cause that may be due to another one in the report.
struct Underlying {
  v1::Cause cause;
  v1::Cause other;
  // Requires a text of the same container.
  bool own;
};
constexpr Underlying kUnderlying[] = {
    // The service that a helper needs did not answer.
    {v1::LAUNCHER_FAILED, v1::DEPENDENCY_UNAVAILABLE, false},
    // The helper has invalid settings.
    {v1::LAUNCHER_FAILED, v1::CONFIG_USER_ERROR, true},
};

bool SameContainer(const Place& a, const Place& b) {
  return a.root == b.root && a.index == b.index && a.item == b.item &&
         std::string_view(a.list) == b.list;
}

const Candidate* UnderlyingFact(const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  for (const Underlying& row : kUnderlying) {
    if (conclusion.cause != row.cause) continue;
    for (const Candidate& fact : conclusion.facts) {
      if (fact.row == nullptr || fact.cause != row.other) continue;
      if (!row.own || (winner != nullptr && fact.tier >= Tier::kSpecific &&
                       SameContainer(fact.place, winner->place))) {
        return &fact;
      }
    }
  }
  return nullptr;
}

// Returns a sign that the container's mistake is temporary, or null.
const Candidate* TransientSign(const Conclusion& conclusion) {
  if (conclusion.cause != v1::CONFIG_USER_ERROR &&
      conclusion.cause != v1::DATA_OR_NUMERIC) {
    return nullptr;
  }
  const Candidate* winner = conclusion.decisive();
  for (const Candidate& fact : conclusion.facts) {
    if ((fact.flags & kPasses) != 0 && winner != nullptr &&
        SameContainer(fact.place, winner->place)) {
      return &fact;
    }
  }
  return nullptr;
}

// Returns whether only a conventional exit code such as 2 shows the cause.
// Programs use it for anything, so the failure may pass.
bool ByConventionAlone(const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  return winner != nullptr && winner->HasWeight(kExitCodeWeight) &&
         winner->confidence == v1::Diagnosis::LOW;
}

std::string_view OutlookReason(Diagnosis::Outlook outlook) {
  switch (outlook) {
    case Diagnosis::RECOVERS:
      return "what stopped it passes, or stays behind on another machine";
    case Diagnosis::MAY_RECOVER:
      return "such a failure passes as often as it lasts";
    case Diagnosis::CANNOT_RECOVER:
      return "the same comes again until somebody changes something";
    case Diagnosis::OUTLOOK_UNKNOWN:
      return "the evidence does not say";
    default:
      return {};
  }
}

// Returns other trouble of a pod that succeeded: it was evicted as it ended, or
// one of its processes was killed. Null if none or if its owner succeeded.
const Candidate* TroubleDespite(const Conclusion& conclusion) {
  const Candidate* found = nullptr;
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && winner->place.root != Root::kPods) return nullptr;
  for (const Candidate& fact : conclusion.facts) {
    if (fact.row == nullptr || fact.tier < Tier::kSpecific ||
        (fact.place.root == Root::kEvents && fact.row->weight != kPodWeight) ||
        RowOf(fact.cause).domain == Diagnosis::NONE) {
      continue;
    }
    if (found == nullptr || Stronger(fact, *found)) found = &fact;
  }
  return found;
}

}  // namespace

Diagnosis::FaultDomain DomainOf(const Context& context,
                                const Conclusion& conclusion) {
  if (conclusion.cause == v1::SUCCEEDED) {
    const Candidate* trouble = TroubleDespite(conclusion);
    return trouble != nullptr ? RowOf(trouble->cause).domain : Diagnosis::NONE;
  }
  if (const Candidate* fact = FactWith(conclusion, &Signature::domain)) {
    // A program that does not listen yet may do so at its next start. One that
    // never does is probed at the wrong place or time.
    const bool program =
        RowOf(conclusion.cause).domain == Diagnosis::APPLICATION;
    if (!program || fact->row->domain != Diagnosis::CONFIGURATION ||
        fact->row->outlook == Diagnosis::CANNOT_RECOVER ||
        RestartsOf(context, conclusion).count >=
            EnoughRestarts(conclusion.cause)) {
      return fact->row->domain;
    }
  }
  if (const Candidate* fact = UnderlyingFact(conclusion)) {
    return fact->row->domain != Diagnosis::FAULT_DOMAIN_UNSPECIFIED
               ? fact->row->domain
               : RowOf(fact->cause).domain;
  }
  return RowOf(conclusion.cause).domain;
}

OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion) {
  // Failures that others retry have an outlook too.
  if (conclusion.situation != Diagnosis::BROKEN &&
      (conclusion.situation != Diagnosis::ALIVE ||
       conclusion.cause == v1::NOT_FAILED)) {
    return {};
  }
  const CauseRow& row = RowOf(conclusion.cause);
  OutlookFound found{row.outlook, {}};
  if (const Candidate* fact = FactWith(conclusion, &Signature::outlook)) {
    found = {fact->row->outlook, std::string(fact->row->meaning)};
  } else if (const Candidate* underlying = UnderlyingFact(conclusion);
             underlying != nullptr &&
             underlying->cause == v1::CONFIG_USER_ERROR) {
    found.outlook = underlying->row->outlook != Diagnosis::OUTLOOK_UNSPECIFIED
                        ? underlying->row->outlook
                        : RowOf(underlying->cause).outlook;
    found.reason = std::string(underlying->row->meaning);
  }
  if (found.outlook == Diagnosis::CANNOT_RECOVER &&
      ByConventionAlone(conclusion)) {
    found = {Diagnosis::MAY_RECOVER, "an exit code alone is a convention",
             /*fatal_if_repeated=*/true};
  }
  if (const Candidate* passing = TransientSign(conclusion);
      passing != nullptr && found.outlook == Diagnosis::CANNOT_RECOVER) {
    found = {Diagnosis::MAY_RECOVER,
             absl::StrCat("beside it the log says that ",
                          std::string(passing->row->meaning))};
  }
  const auto* status = FailedContainer(context, conclusion);
  const int enough = EnoughRestarts(conclusion.cause);
  const Restarts restarts = RestartsOf(context, conclusion);
  if (enough > 0 && restarts.count >= enough) {
    found = {Diagnosis::CANNOT_RECOVER,
             absl::StrCat(restarts.by, restarts.count,
                          " times again, and it ended each time")};
  } else if (status != nullptr && MayPassLater(conclusion) &&
             found.outlook == Diagnosis::CANNOT_RECOVER &&
             RanLong(*status, kLongRun)) {
    found = {Diagnosis::MAY_RECOVER,
             "it ran for long before, and may get past it from a checkpoint",
             /*fatal_if_repeated=*/true};
  }
  if (found.reason.empty()) found.reason = OutlookReason(found.outlook);
  return found;
}

bool PointsToNode(const Conclusion& conclusion) {
  const Candidate* naming = conclusion.naming();
  return HasHistory(conclusion.cause, kOfNode | kElsewhere) ||
         (naming != nullptr && (naming->flags & kOfThisNode) != 0);
}

}  // namespace mulligan::demystify
