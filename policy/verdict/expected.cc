#include "policy/verdict/expected.h"

#include <cmath>

namespace mulligan {
namespace {

// The number of other workloads' retries that a rule's `passes` is worth.
constexpr double kPolicyWeighs = 10;

// Returns the hours that a stop costs.
double Saved(const CompiledWorth& worth, const v1::Stake& stake) {
  return worth.given_up * stake.good_hours() + worth.person_hours;
}

}  // namespace

double PassesOf(const CompiledWorth& worth, double passes,
                const v1::Stake& stake, std::int64_t more) {
  const double others = static_cast<double>(stake.others_passed()) +
                        static_cast<double>(stake.others_failed_again());
  const double prior = (kPolicyWeighs * passes + stake.others_passed()) /
                       (kPolicyWeighs + others);
  const double own = static_cast<double>(stake.passed()) +
                     static_cast<double>(stake.failed_again()) +
                     static_cast<double>(more);
  return (worth.weighs * prior + stake.passed()) / (worth.weighs + own);
}

bool LosesHours(const CompiledWorth& worth, double p, const v1::Stake& stake) {
  return p * Saved(worth, stake) < (1 - p) * stake.hours();
}

std::optional<double> EnoughPasses(const CompiledWorth& worth,
                                   const v1::Stake& stake) {
  const double p = stake.hours() / (stake.hours() + Saved(worth, stake));
  const double own = static_cast<double>(stake.passed()) +
                     static_cast<double>(stake.failed_again());
  const double prior =
      (p * (worth.weighs + own) - stake.passed()) / worth.weighs;
  const double others = static_cast<double>(stake.others_passed()) +
                        static_cast<double>(stake.others_failed_again());
  const double passes =
      (prior * (kPolicyWeighs + others) - stake.others_passed()) /
      kPolicyWeighs;
  const double rounded = std::ceil(passes * 100) / 100;
  if (!(rounded >= 0 && rounded <= 1)) return std::nullopt;
  return rounded;
}

}  // namespace mulligan
