// Metric series whose labels are names from policies.
#ifndef MULLIGAN_SERVER_OBSERVE_POLICY_SERIES_H_
#define MULLIGAN_SERVER_OBSERVE_POLICY_SERIES_H_

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mulligan/v1/decision.pb.h"
#include "prometheus/counter.h"

namespace mulligan {

inline constexpr int kActionCount = v1::Decision::Action_MAX + 1;

// One counter per action; null if it has no series.
using CountersByAction = std::array<prometheus::Counter*, kActionCount>;

struct BudgetCounters {
  prometheus::Counter* charged = nullptr;
  prometheus::Counter* exhausted = nullptr;
};

// Label for names from inline policies, so that callers cannot create series.
// Not a valid policy name.
inline constexpr char kInlineLabel[] = "_inline";

// Series for the names in one loaded policy set, created with it and read by
// every decision. The counters outlive it. Immutable once filled.
class PolicySeries {
 public:
  const CountersByAction& inline_policy() const { return inline_policy_; }
  const BudgetCounters& inline_budget() const { return inline_budget_; }

  const CountersByAction& ForPolicy(std::string_view name) const {
    const auto found = policies_.find(name);
    return found == policies_.end() ? inline_policy_ : found->second;
  }
  const BudgetCounters& ForBudget(std::string_view name) const {
    const auto found = budgets_.find(name);
    return found == budgets_.end() ? inline_budget_ : found->second;
  }

 private:
  friend class Metrics;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename T>
  using ByName = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  ByName<CountersByAction> policies_;
  ByName<BudgetCounters> budgets_;
  CountersByAction inline_policy_ = {};
  BudgetCounters inline_budget_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_POLICY_SERIES_H_
