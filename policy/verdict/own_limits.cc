#include "policy/verdict/own_limits.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

using LimitSource = v1::BudgetState::LimitSource;

// Collects limits; each one set overrides those before it.
class OwnLimits {
 public:
  OwnLimits(const Ruleset& policy, std::vector<std::string>& warnings)
      : policy_(policy), warnings_(warnings) {}

  void SetNative(const Owners& owners);

  // Sets the limit of a budget to `text`, found at `where`, or adds a warning.
  void Set(const std::string& name, const std::string& text, LimitSource source,
           const std::string& where);

  void SetAnnotated(const std::string& kind,
                    const kubernetes::meta::v1::ObjectMeta& meta);

  std::vector<CompiledBudget> Take() { return std::move(own_); }

 private:
  const std::vector<CompiledBudget>& stated() const {
    return policy_.compiled().budgets;
  }
  CompiledBudget& OwnBudget(int budget) {
    if (own_.empty()) own_ = stated();
    return own_[static_cast<std::size_t>(budget)];
  }

  const Ruleset& policy_;
  std::vector<std::string>& warnings_;
  std::vector<CompiledBudget> own_;
};

std::optional<std::int64_t> NativeLimitOf(const Owners& owners) {
  for (const WorkloadView& view : owners.views) {
    if (view.retry_limit) return view.retry_limit;
  }
  if (!owners.views.empty() || owners.report.jobs().empty()) {
    return std::nullopt;
  }
  return ViewOf(owners.report.jobs(0)).retry_limit;
}

void OwnLimits::SetNative(const Owners& owners) {
  if (std::ranges::none_of(stated(), &CompiledBudget::native_limit)) return;
  const std::optional<std::int64_t> limit = NativeLimitOf(owners);
  if (!limit) return;
  for (int i = 0; i < static_cast<int>(stated().size()); ++i) {
    const CompiledBudget& budget = stated()[static_cast<std::size_t>(i)];
    if (!budget.native_limit) continue;
    CompiledBudget& own = OwnBudget(i);
    own.limit = std::clamp<std::int64_t>(
        *limit, 0,
        budget.own_limits ? budget.own_limits->max : kMaxBudgetLimit);
    own.source = v1::BudgetState::NATIVE;
  }
}

void OwnLimits::Set(const std::string& name, const std::string& text,
                    LimitSource source, const std::string& where) {
  const auto leave_out = [&](const std::string& why) {
    warnings_.push_back(
        absl::StrCat(where, " is \"", text, "\", which is left out: ", why));
  };
  const int index = FindBudget(stated(), name);
  if (index == kNoBudget) {
    return leave_out(absl::StrFormat("policy \"%s\" has no budget \"%s\"",
                                     policy_.name(), name));
  }
  const CompiledBudget& budget =
      (own_.empty() ? stated() : own_)[static_cast<std::size_t>(index)];
  const auto& range = budget.own_limits;
  if (!range) {
    return leave_out(absl::StrFormat(
        "policy \"%s\" has no override for this budget, its limit stays %d",
        policy_.name(), budget.limit));
  }
  std::int64_t limit = 0;
  if (!absl::SimpleAtoi(text, &limit) || limit < range->min ||
      limit > range->max) {
    return leave_out(
        absl::StrFormat("expected a whole number from %d to %d (override), the "
                        "limit stays %d",
                        range->min, range->max, budget.limit));
  }
  CompiledBudget& own = OwnBudget(index);
  own.limit = limit;
  own.source = source;
}

void OwnLimits::SetAnnotated(const std::string& kind,
                             const kubernetes::meta::v1::ObjectMeta& meta) {
  // Sorted, because the order of a protobuf map varies.
  std::map<std::string, std::string> limits;
  for (const auto& [key, value] : meta.annotations()) {
    if (key.starts_with(kLimitAnnotation)) {
      limits[key.substr(std::size(kLimitAnnotation) - 1)] = value;
    }
  }
  for (const auto& [budget, text] : limits) {
    Set(budget, text, v1::BudgetState::ANNOTATION,
        absl::StrCat("annotation ", kLimitAnnotation, budget, " of ", kind, " ",
                     meta.name()));
  }
}

}  // namespace

std::vector<CompiledBudget> BudgetsWithOwnLimits(
    const v1::DecideRequest& request, const Owners& owners,
    const Ruleset& policy, std::vector<std::string>& warnings) {
  const v1::FailureReport& report = owners.report;
  OwnLimits limits(policy, warnings);
  limits.SetNative(owners);
  if (!report.pods().empty()) {
    limits.SetAnnotated("pod", report.pods(0).metadata());
  }
  if (!report.jobs().empty()) {
    limits.SetAnnotated("Job", report.jobs(0).metadata());
  }
  for (auto view = owners.views.rbegin(); view != owners.views.rend(); ++view) {
    if (view->meta != nullptr) {
      limits.SetAnnotated(std::string(view->kind_name), *view->meta);
    }
  }
  const std::map<std::string, std::int32_t> requested(request.limits().begin(),
                                                      request.limits().end());
  for (const auto& [budget, limit] : requested) {
    limits.Set(budget, absl::StrCat(limit), v1::BudgetState::REQUEST,
               absl::StrCat("limits[", budget, "]"));
  }
  return limits.Take();
}

}  // namespace mulligan
