#include "policy/demystify/blame.h"

#include "absl/strings/str_cat.h"
#include "policy/demystify/causes.h"

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
    case v1::CRASH_SIGNAL:
      // The kubelet waited ten minutes for it to do better (10 s, doubled each
      // time).
      return 6;
    default:
      return 0;
  }
}

// A program that ran longer than this got past what it does at its start, where
// most settings are read, and goes on from a checkpoint: an error of its own
// may lie behind it.
constexpr Seconds kLongRun = 15 * 60;
bool PassesStart(v1::Cause cause) {
  return cause == v1::APP_ERROR || cause == v1::CRASH_SIGNAL ||
         cause == v1::PROBE_KILLED || cause == v1::CONFIG_USER_ERROR;
}

const kubernetes::core::v1::ContainerStatus* DecidingStatus(
    const Context& context, const Gang& gang) {
  if (gang.root < 0 || gang.state.container < 0) return nullptr;
  const auto& status = context.report.pods(gang.root).status();
  const auto& list = gang.state.init ? status.init_container_statuses()
                                     : status.container_statuses();
  return gang.state.container < list.size() ? &list[gang.state.container]
                                            : nullptr;
}

// Whether it failed after a long run; unknown times are none.
bool RanLong(const kubernetes::core::v1::ContainerStatus& status) {
  const auto& run = status.state().has_terminated()
                        ? status.state().terminated()
                        : status.last_state().terminated();
  const Seconds begin = ToSeconds(run.started_at());
  const Seconds end = ToSeconds(run.finished_at());
  return Known(begin) && Known(end) && begin + kLongRun < end;
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
};
constexpr Behind kBehind[] = {
    // What a helper needs did not answer.
    {v1::LAUNCHER_FAILED, v1::DEPENDENCY_UNAVAILABLE},
};

std::string_view OutlookWords(Diagnosis::Outlook outlook) {
  switch (outlook) {
    case Diagnosis::RECOVERS:
      return "what stopped it lies outside the work";
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

// What the report tells besides of work that succeeded: it was evicted as it
// ended, or one of its processes was killed. Null: nothing.
const Candidate* TroubleBeside(const Conclusion& conclusion) {
  const Candidate* found = nullptr;
  for (const Candidate& fact : conclusion.facts) {
    if (fact.row == nullptr || fact.tier < Tier::kSpecific ||
        fact.place.root == Root::kEvents ||
        RowOf(fact.cause).domain == Diagnosis::NONE) {
      continue;
    }
    if (found == nullptr || Stronger(fact, *found)) found = &fact;
  }
  return found;
}

}  // namespace

Diagnosis::FaultDomain DomainOf(const Conclusion& conclusion) {
  if (conclusion.cause == v1::SUCCEEDED) {
    const Candidate* trouble = TroubleBeside(conclusion);
    return trouble != nullptr ? RowOf(trouble->cause).domain : Diagnosis::NONE;
  }
  if (const Candidate* fact = Saying(conclusion, &Signature::domain)) {
    return fact->row->domain;
  }
  for (const Behind& behind : kBehind) {
    if (conclusion.cause != behind.cause) continue;
    for (const Candidate& fact : conclusion.facts) {
      if (fact.row == nullptr || fact.cause != behind.other) continue;
      return fact.row->domain != Diagnosis::FAULT_DOMAIN_UNSPECIFIED
                 ? fact.row->domain
                 : RowOf(fact.cause).domain;
    }
  }
  return RowOf(conclusion.cause).domain;
}

OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion) {
  if (conclusion.situation != Diagnosis::BROKEN) return {};
  const CauseRow& row = RowOf(conclusion.cause);
  OutlookFound found{row.outlook, {}};
  if (const Candidate* fact = Saying(conclusion, &Signature::outlook)) {
    found = {fact->row->outlook, std::string(fact->row->meaning)};
  }
  const auto* status = DecidingStatus(context, conclusion.gang);
  const int enough = EnoughRestarts(conclusion.cause);
  if (status != nullptr && enough > 0 && status->restart_count() >= enough) {
    found = {Diagnosis::CANNOT_RECOVER,
             absl::StrCat("the kubelet started the container ",
                          status->restart_count(),
                          " times again, and it ended each time")};
  } else if (status != nullptr && PassesStart(conclusion.cause) &&
             found.outlook == Diagnosis::CANNOT_RECOVER && RanLong(*status)) {
    found = {Diagnosis::MAY_RECOVER,
             "it ran for long before, and may get past it from a checkpoint"};
  }
  if (found.reason.empty()) found.reason = OutlookWords(found.outlook);
  return found;
}

}  // namespace mulligan::demystify
