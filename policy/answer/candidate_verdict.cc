#include "policy/answer/candidate_verdict.h"

#include <algorithm>
#include <string>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"

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

// In the order of the enum.
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

}  // namespace

std::vector<CandidateVerdict::Difference> Differences(
    const DecideResponse& ours, const DecideResponse& candidates) {
  std::vector<CandidateVerdict::Difference> differences;
  for (const auto& [difference, same] : kComparisons) {
    if (!same(ours, candidates)) differences.push_back(difference);
  }
  return differences;
}

void TellCandidate(const DecideResponse& ours, const DecideResponse& candidates,
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

void TellNoCandidate(const absl::Status& why, CandidateVerdict& verdict) {
  verdict.add_differences(CandidateVerdict::NO_ANSWER);
  verdict.set_error(Visible(std::string(why.message())));
}

}  // namespace mulligan
