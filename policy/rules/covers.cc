#include "policy/rules/covers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "policy/rules/interval.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

// For alternatives of which one must hold; an empty `wide` accepts all.
template <typename T>
bool CoversList(const std::vector<T>& wide, const std::vector<T>& narrow) {
  return wide.empty() ||
         (!narrow.empty() && std::ranges::includes(wide, narrow));
}

template <typename Value>
bool CoversSet(EnumSet<Value> wide, EnumSet<Value> narrow) {
  return wide.empty() || (!narrow.empty() && wide.Covers(narrow));
}

template <typename Value>
bool CoversRange(const std::optional<Interval<Value>>& wide,
                 const std::optional<Interval<Value>>& narrow) {
  return !wide || (narrow && wide->Covers(*narrow));
}

bool CoversExitCodes(const std::optional<ExitCodes>& wide,
                     const std::optional<ExitCodes>& narrow) {
  if (!wide) return true;
  if (!narrow || wide->container != narrow->container) return false;
  const auto& w = wide->values;
  const auto& n = narrow->values;
  if (!wide->negated && !narrow->negated) {
    return std::ranges::includes(w, n);
  }
  if (wide->negated && narrow->negated) {
    return std::ranges::includes(n, w);
  }
  if (!wide->negated) return false;
  return std::ranges::none_of(n, [&w](std::int32_t code) {
    return std::ranges::binary_search(w, code);
  });
}

bool CoversConditions(const std::vector<ConditionFields>& wide,
                      const std::vector<ConditionFields>& narrow) {
  if (wide.empty()) return true;
  if (narrow.empty()) return false;
  return std::ranges::all_of(narrow, [&wide](const ConditionFields& n) {
    return std::ranges::any_of(wide, [&n](const ConditionFields& w) {
      return w.type == n.type && w.status == n.status &&
             (w.reason.empty() || w.reason == n.reason);
    });
  });
}

bool CoversPattern(const std::unique_ptr<const re2::RE2>& wide,
                   const std::unique_ptr<const re2::RE2>& narrow) {
  if (wide == nullptr) return true;
  return narrow != nullptr && wide->pattern() == narrow->pattern();
}

}  // namespace

bool Covers(const Predicates& wide, const Predicates& narrow) {
  return wide.causes.Covers(narrow.causes) &&
         CoversSet(wide.fault_domains, narrow.fault_domains) &&
         CoversSet(wide.outlooks, narrow.outlooks) &&
         CoversSet(wide.derived_causes, narrow.derived_causes) &&
         wide.min_confidence <= narrow.min_confidence &&
         CoversRange(wide.attempts, narrow.attempts) &&
         CoversRange(wide.alike, narrow.alike) &&
         CoversRange(wide.ran, narrow.ran) &&
         CoversRange(wide.accelerators, narrow.accelerators) &&
         CoversRange(wide.hours_at_stake, narrow.hours_at_stake) &&
         CoversRange(wide.passed, narrow.passed) &&
         (!wide.interruptible || wide.interruptible == narrow.interruptible) &&
         (!wide.repeated_by_operator ||
          wide.repeated_by_operator == narrow.repeated_by_operator) &&
         CoversList(wide.kinds, narrow.kinds) &&
         CoversList(wide.containers, narrow.containers) &&
         // All labels must hold, so the wider rule has fewer.
         std::ranges::includes(narrow.labels, wide.labels) &&
         CoversList(wide.http_codes, narrow.http_codes) &&
         CoversExitCodes(wide.exit_codes, narrow.exit_codes) &&
         CoversList(wide.reasons, narrow.reasons) &&
         CoversConditions(wide.conditions, narrow.conditions) &&
         CoversPattern(wide.message, narrow.message) &&
         CoversPattern(wide.status, narrow.status);
}

}  // namespace mulligan
