#include "policy/demystify/readers/quota.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/base/quantity.h"
#include "re2/re2.h"

namespace mulligan::demystify {
namespace {

using Amount = std::pair<std::string, double>;

// Parses "cpu=8,memory=2Gi"; skips invalid quantities.
std::vector<Amount> AmountsIn(std::string_view list) {
  static const RE2* const kAmount = new RE2("([^=,]+)=([^,]*),?");
  std::vector<Amount> amounts;
  re2::StringPiece rest(list.data(), list.size());
  std::string resource;
  std::string amount;
  while (RE2::Consume(&rest, *kAmount, &resource, &amount)) {
    const std::optional<double> value = QuantityValue(amount);
    if (value.has_value()) amounts.emplace_back(resource, *value);
  }
  return amounts;
}

}  // namespace

bool NeverFitsQuota(std::string_view message) {
  static const RE2* const kAmounts =
      new RE2("requested: (\\S+), used: \\S+, limited: (\\S+)");
  re2::StringPiece requested;
  re2::StringPiece limited;
  if (!RE2::PartialMatch(re2::StringPiece(message.data(), message.size()),
                         *kAmounts, &requested, &limited)) {
    return false;
  }
  const std::vector<Amount> limits =
      AmountsIn({limited.data(), limited.size()});
  return std::ranges::any_of(
      AmountsIn({requested.data(), requested.size()}),
      [&limits](const Amount& wanted) {
        return std::ranges::any_of(limits, [&wanted](const Amount& limit) {
          return limit.first == wanted.first && limit.second < wanted.second;
        });
      });
}

}  // namespace mulligan::demystify
