#include <algorithm>
#include <vector>

#include "policy/rules/predicates.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

// For alternatives of which one must be present: an absent `wide` list asks
// for nothing.
template <typename T>
bool CoversList(const std::vector<T>& wide, const std::vector<T>& narrow) {
  return wide.empty() ||
         (!narrow.empty() && std::includes(wide.begin(), wide.end(),
                                           narrow.begin(), narrow.end()));
}

template <typename Value>
bool CoversSet(EnumSet<Value> wide, EnumSet<Value> narrow) {
  return wide.empty() || (!narrow.empty() && wide.Covers(narrow));
}

bool CoversExitCodes(const std::optional<ExitCodes>& wide,
                     const std::optional<ExitCodes>& narrow) {
  if (!wide) return true;
  if (!narrow || wide->container != narrow->container) return false;
  const auto& w = wide->values;
  const auto& n = narrow->values;
  if (!wide->negated && !narrow->negated) {
    return std::includes(w.begin(), w.end(), n.begin(), n.end());
  }
  if (wide->negated && narrow->negated) {
    return std::includes(n.begin(), n.end(), w.begin(), w.end());
  }
  if (!wide->negated) return false;
  return std::none_of(n.begin(), n.end(), [&w](std::int32_t code) {
    return std::binary_search(w.begin(), w.end(), code);
  });
}

bool CoversConditions(const std::vector<ConditionFields>& wide,
                      const std::vector<ConditionFields>& narrow) {
  if (wide.empty()) return true;
  if (narrow.empty()) return false;
  return std::all_of(
      narrow.begin(), narrow.end(), [&wide](const ConditionFields& n) {
        return std::any_of(wide.begin(), wide.end(),
                           [&n](const ConditionFields& w) {
                             return w.type == n.type && w.status == n.status &&
                                    (w.reason.empty() || w.reason == n.reason);
                           });
      });
}

bool CoversMessage(const Predicates& wide, const Predicates& narrow) {
  if (wide.message == nullptr) return true;
  return narrow.message != nullptr &&
         wide.message->pattern() == narrow.message->pattern();
}

}  // namespace

bool Covers(const Predicates& wide, const Predicates& narrow) {
  return wide.causes.Covers(narrow.causes) &&
         CoversSet(wide.fault_domains, narrow.fault_domains) &&
         CoversSet(wide.outlooks, narrow.outlooks) &&
         CoversSet(wide.derived_causes, narrow.derived_causes) &&
         wide.min_confidence <= narrow.min_confidence &&
         wide.first_attempt <= narrow.first_attempt &&
         wide.last_attempt >= narrow.last_attempt &&
         (!wide.interruptible || wide.interruptible == narrow.interruptible) &&
         CoversList(wide.kinds, narrow.kinds) &&
         CoversList(wide.containers, narrow.containers) &&
         // All labels must hold: the wider rule is the one with fewer.
         std::includes(narrow.labels.begin(), narrow.labels.end(),
                       wide.labels.begin(), wide.labels.end()) &&
         CoversList(wide.http_codes, narrow.http_codes) &&
         CoversExitCodes(wide.exit_codes, narrow.exit_codes) &&
         CoversList(wide.reasons, narrow.reasons) &&
         CoversConditions(wide.conditions, narrow.conditions) &&
         CoversMessage(wide, narrow);
}

}  // namespace mulligan
