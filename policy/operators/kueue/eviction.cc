#include "policy/operators/kueue/eviction.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "policy/operators/kueue/checks.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

void Count(const Eviction& eviction, WorkloadStatus& status) {
  auto& evictions = *status.mutable_scheduling_stats()->mutable_evictions();
  for (auto& entry : evictions) {
    if (entry.reason() != eviction.reason ||
        entry.underlying_cause() != eviction.cause) {
      continue;
    }
    if (entry.count() < std::numeric_limits<std::int32_t>::max()) {
      entry.set_count(entry.count() + 1);
    }
    return;
  }
  auto& added = *evictions.Add();
  added.set_reason(eviction.reason);
  added.set_underlying_cause(eviction.cause);
  added.set_count(1);
}

}  // namespace

void Evict(const Eviction& eviction, absl::Time now, WorkloadStatus& status) {
  const bool shows_cause =
      eviction.reason == kDeactivated && !eviction.cause.empty();
  SetCondition(kEvicted, true,
               shows_cause
                   ? absl::StrCat(eviction.reason, "DueTo", eviction.cause)
                   : eviction.reason,
               eviction.message, now, *status.mutable_conditions());
  ResetChecks(now, status);
  status.clear_unhealthy_nodes();
  Count(eviction, status);
}

}  // namespace mulligan::kueue
