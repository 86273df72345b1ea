#include "policy/compare.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/verdict/record.h"
#include "policy/wording.h"

namespace mulligan {
namespace {

using v1::CandidateVerdict;
using v1::DecideResponse;

template <typename List, typename Equal>
bool SameItems(const List& a, const List& b, const Equal& equal) {
  return std::ranges::equal(a, b, equal);
}

bool SameCause(const DecideResponse& a, const DecideResponse& b) {
  return a.diagnosis().cause() == b.diagnosis().cause();
}

bool SameAction(const DecideResponse& a, const DecideResponse& b) {
  return a.decision().action() == b.decision().action();
}

bool SameScope(const DecideResponse& a, const DecideResponse& b) {
  return a.decision().scope() == b.decision().scope();
}

bool SameDelay(const DecideResponse& a, const DecideResponse& b) {
  return ToDuration(a.decision().retry_after()) ==
         ToDuration(b.decision().retry_after());
}

bool SameQueue(const DecideResponse& a, const DecideResponse& b) {
  return a.decision().queue() == b.decision().queue();
}

bool SamePlacement(const DecideResponse& a, const DecideResponse& b) {
  const v1::Placement& ours = a.decision().placement();
  const v1::Placement& theirs = b.decision().placement();
  return ours.on_demand() == theirs.on_demand() &&
         SameItems(ours.avoid_nodes(), theirs.avoid_nodes(),
                   [](const v1::AvoidNode& x, const v1::AvoidNode& y) {
                     return x.node() == y.node() && x.hard() == y.hard() &&
                            ToTime(x.expires_at()) == ToTime(y.expires_at());
                   });
}

bool SameResources(const DecideResponse& a, const DecideResponse& b) {
  return SameItems(
      a.decision().resources(), b.decision().resources(),
      [](const v1::ResourceChange& x, const v1::ResourceChange& y) {
        return x.resource() == y.resource() && x.factor() == y.factor() &&
               x.request_only() == y.request_only() &&
               x.container() == y.container();
      });
}

bool SameCharge(const DecideResponse& a, const DecideResponse& b) {
  return a.accounting().charged_to() == b.accounting().charged_to() &&
         a.accounting().units() == b.accounting().units();
}

bool SameExhaustion(const DecideResponse& a, const DecideResponse& b) {
  const v1::Exhaustion& ours = a.accounting().exhaustion();
  const v1::Exhaustion& theirs = b.accounting().exhaustion();
  return ours.limit() == theirs.limit() && ours.budget() == theirs.budget();
}

struct Comparison {
  CandidateVerdict::Difference difference;
  bool (*same)(const DecideResponse&, const DecideResponse&);
};

constexpr Comparison kComparisons[] = {
    {CandidateVerdict::CAUSE, SameCause},
    {CandidateVerdict::ACTION, SameAction},
    {CandidateVerdict::SCOPE, SameScope},
    {CandidateVerdict::DELAY, SameDelay},
    {CandidateVerdict::QUEUE, SameQueue},
    {CandidateVerdict::PLACEMENT, SamePlacement},
    {CandidateVerdict::RESOURCES, SameResources},
    {CandidateVerdict::CHARGE, SameCharge},
    {CandidateVerdict::EXHAUSTION, SameExhaustion}};

bool DelaysDiffer(const v1::Decision& native, const v1::Decision& ours) {
  const absl::Duration a = ToDuration(native.retry_after());
  const absl::Duration b = ToDuration(ours.retry_after());
  const absl::Duration gap = std::max(a, b) - std::min(a, b);
  return gap > absl::Seconds(1) && gap * 10 > std::max(a, b);
}

}  // namespace

std::vector<CandidateVerdict::Difference> Differences(
    const DecideResponse& ours, const DecideResponse& candidates) {
  std::vector<CandidateVerdict::Difference> differences;
  for (const auto& [difference, same] : kComparisons) {
    if (!same(ours, candidates)) differences.push_back(difference);
  }
  return differences;
}

void FillCandidate(const DecideResponse& ours, const DecideResponse& candidates,
                   CandidateVerdict& verdict) {
  const v1::Decision& decision = candidates.decision();
  *verdict.mutable_policy() = candidates.policy();
  verdict.set_cause(candidates.diagnosis().cause());
  verdict.set_action(decision.action());
  verdict.set_scope(decision.scope());
  if (decision.has_retry_after()) {
    *verdict.mutable_retry_after() = decision.retry_after();
  }
  verdict.set_charged_to(candidates.accounting().charged_to());
  verdict.set_units(candidates.accounting().units());
  for (const auto difference : Differences(ours, candidates)) {
    verdict.add_differences(difference);
  }
}

void FillCandidateError(const absl::Status& why, CandidateVerdict& verdict) {
  verdict.add_differences(CandidateVerdict::NO_ANSWER);
  verdict.set_error(Visible(std::string(why.message())));
}

v1::Decision DecisionOf(const v1::NativeVerdict& native) {
  v1::Decision decision;
  decision.set_action(native.action());
  decision.set_scope(native.scope());
  if (native.has_delay()) {
    SetDuration(std::min(ToDuration(native.delay()), kLongestDelay),
                *decision.mutable_retry_after());
  }
  if (native.action() == v1::Decision::RETRY) {
    decision.mutable_retry_after();
    decision.set_queue(native.queue());
    decision.set_last_attempt(!native.charged_to().empty() &&
                              native.used() >= native.limit());
  }
  return decision;
}

Divergence Compare(const v1::NativeVerdict& native, const v1::Decision& ours) {
  const v1::Decision theirs = DecisionOf(native);
  const bool native_retries = theirs.action() == v1::Decision::RETRY;
  const bool we_retry = ours.action() == v1::Decision::RETRY;
  if (native_retries && !we_retry) return Divergence::kOnlyNativeRetries;
  if (!native_retries && we_retry) return Divergence::kOnlyMulliganRetries;
  if (theirs.action() != ours.action()) return Divergence::kAction;
  if (!we_retry && ours.action() != v1::Decision::FAIL)
    return Divergence::kNone;
  if (theirs.scope() != ours.scope()) return Divergence::kScope;
  if (!we_retry) return Divergence::kNone;
  if (theirs.queue() != ours.queue()) return Divergence::kQueue;
  return DelaysDiffer(theirs, ours) ? Divergence::kDelay : Divergence::kNone;
}

std::string DifferenceText(const v1::NativeVerdict& native,
                           const v1::Decision& ours) {
  if (Compare(native, ours) == Divergence::kNone) return {};
  return absl::StrFormat("%s: %s; Mulligan: %s", native.operator_(),
                         VerdictText(DecisionOf(native)), VerdictText(ours));
}

}  // namespace mulligan
