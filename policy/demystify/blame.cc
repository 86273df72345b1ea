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

// How many restarts by the kubelet show that one more does not help; 0: none.
int EnoughRestarts(v1::Cause cause) {
  switch (cause) {
    case v1::PROBE_KILLED:
      // A probe kills on purpose: what it killed so often is never in time.
      return 3;
    case v1::APP_ERROR:
    case v1::CONFIG_USER_ERROR:
    case v1::CRASH_SIGNAL:
    case v1::COLLECTIVE_CASCADE:
      // The kubelet waited ten minutes for it to do better (10 s, doubled each
      // time).
      return 6;
    default:
      return 0;
  }
}

// A program that ran longer than this goes on from a checkpoint, and may get
// past an error of its own.
constexpr Seconds kLongRun = 15 * 60;

// Whether a long run tells that the failure may pass. A setting that is wrong
// is wrong at the end of a run too; what an exit code alone says of one, and
// what the program may have had before, is another matter.
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

// Starts after the first one that ended too, and who counted them.
struct Restarts {
  std::int64_t count = 0;
  const char* by = "";
};

// Of a failure that only an object above the pods reports, by the container
// that was started most often.
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

// Of a Job that runs one pod at a time every failed pod is a start; of others
// they may have run side by side. A pod that was drained shows nothing about
// the program.
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
      std::max(context.not_the_programs, conclusion.not_the_programs);
  if (one && failed > 0 && failed - 1 > most.count) {
    most = {failed - 1, "the Job started a pod "};
  }
  return most;
}

// The first fact of the concluded cause whose row says it, the decisive first.
template <typename Value>
const Candidate* Saying(const Conclusion& conclusion, Value Signature::*said) {
  const auto says = [&](const Candidate& fact) {
    return fact.row != nullptr && fact.cause == conclusion.cause &&
           fact.row->cause == fact.cause && fact.row->*said != Value{};
  };
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && says(*winner)) return winner;
  for (const Candidate& fact : conclusion.facts) {
    if (says(fact)) return &fact;
  }
  return nullptr;
}

// A cause behind which another one stands, where the report tells of that too.
struct Behind {
  v1::Cause cause;
  v1::Cause other;
  // Only what the container says that names the cause.
  bool own;
};
constexpr Behind kBehind[] = {
    // What a helper needs did not answer.
    {v1::LAUNCHER_FAILED, v1::DEPENDENCY_UNAVAILABLE, false},
    // It was told what cannot work.
    {v1::LAUNCHER_FAILED, v1::CONFIG_USER_ERROR, true},
};

bool SameContainer(const Place& a, const Place& b) {
  return a.root == b.root && a.index == b.index && a.item == b.item &&
         std::string_view(a.list) == b.list;
}

const Candidate* FactBehind(const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  for (const Behind& behind : kBehind) {
    if (conclusion.cause != behind.cause) continue;
    for (const Candidate& fact : conclusion.facts) {
      if (fact.row == nullptr || fact.cause != behind.other) continue;
      if (!behind.own || (winner != nullptr && fact.tier >= Tier::kSpecific &&
                          SameContainer(fact.place, winner->place))) {
        return &fact;
      }
    }
  }
  return nullptr;
}

// Beside a mistake of the same container: what tells that the failure passes.
const Candidate* PassingBeside(const Conclusion& conclusion) {
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

// Programs end with 2 for anything: where only such a code says what happened,
// it may be something that passes.
bool ByConventionAlone(const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  return winner != nullptr && winner->IsOf(kExitCodeWeight) &&
         winner->confidence == v1::Diagnosis::LOW;
}

std::string_view OutlookWords(Diagnosis::Outlook outlook) {
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

// What the report tells besides of a pod that succeeded: it was evicted as it
// ended, or one of its processes was killed. Null: nothing, or its owner counts
// the work as done.
const Candidate* TroubleBeside(const Conclusion& conclusion) {
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
    const Candidate* trouble = TroubleBeside(conclusion);
    return trouble != nullptr ? RowOf(trouble->cause).domain : Diagnosis::NONE;
  }
  if (const Candidate* fact = Saying(conclusion, &Signature::domain)) {
    // A program that did not listen yet may listen at its next start; one that
    // never does is asked at the wrong place or time.
    const bool program =
        RowOf(conclusion.cause).domain == Diagnosis::APPLICATION;
    if (!program || fact->row->domain != Diagnosis::CONFIGURATION ||
        fact->row->outlook == Diagnosis::CANNOT_RECOVER ||
        RestartsOf(context, conclusion).count >=
            EnoughRestarts(conclusion.cause)) {
      return fact->row->domain;
    }
  }
  if (const Candidate* fact = FactBehind(conclusion)) {
    return fact->row->domain != Diagnosis::FAULT_DOMAIN_UNSPECIFIED
               ? fact->row->domain
               : RowOf(fact->cause).domain;
  }
  return RowOf(conclusion.cause).domain;
}

OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion) {
  // What others start again has an outlook too.
  if (conclusion.situation != Diagnosis::BROKEN &&
      !conclusion.gang.state.restarting && !conclusion.past &&
      !conclusion.retried) {
    return {};
  }
  const CauseRow& row = RowOf(conclusion.cause);
  OutlookFound found{row.outlook, {}};
  if (const Candidate* fact = Saying(conclusion, &Signature::outlook)) {
    found = {fact->row->outlook, std::string(fact->row->meaning)};
  } else if (const Candidate* behind = FactBehind(conclusion);
             behind != nullptr && behind->cause == v1::CONFIG_USER_ERROR) {
    found.outlook = behind->row->outlook != Diagnosis::OUTLOOK_UNSPECIFIED
                        ? behind->row->outlook
                        : RowOf(behind->cause).outlook;
    found.reason = std::string(behind->row->meaning);
  }
  if (found.outlook == Diagnosis::CANNOT_RECOVER &&
      ByConventionAlone(conclusion)) {
    found = {Diagnosis::MAY_RECOVER, "an exit code alone is a convention"};
  }
  if (const Candidate* passing = PassingBeside(conclusion);
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
             /*may_get_past=*/true};
  }
  if (found.reason.empty()) found.reason = OutlookWords(found.outlook);
  return found;
}

bool PointsToNode(const Conclusion& conclusion) {
  const Candidate* naming = conclusion.naming();
  return HasHistory(conclusion.cause, kOfNode | kElsewhere) ||
         (naming != nullptr && (naming->flags & kOfThisNode) != 0);
}

}  // namespace mulligan::demystify
