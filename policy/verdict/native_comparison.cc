#include "policy/verdict/native_comparison.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/verdict/sentence.h"

namespace mulligan {
namespace {

bool DelaysDiffer(const v1::Decision& native, const v1::Decision& ours) {
  const absl::Duration a = ToDuration(native.retry_after());
  const absl::Duration b = ToDuration(ours.retry_after());
  const absl::Duration gap = std::max(a, b) - std::min(a, b);
  return gap > absl::Seconds(1) && gap * 10 > std::max(a, b);
}

}  // namespace

v1::Decision DecisionOf(const v1::NativeVerdict& native) {
  v1::Decision decision;
  decision.set_action(native.action());
  decision.set_scope(native.scope());
  if (native.has_delay()) *decision.mutable_retry_after() = native.delay();
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
