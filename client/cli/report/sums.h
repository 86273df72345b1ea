// Adds sums by their members, keys or positions.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_SUMS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_SUMS_H_

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace mulligan::cli {

// Returns the element for `key` of `all`, which has one per enumerator.
template <typename All, typename Key>
auto& AtKey(All& all, Key key) {
  return all[static_cast<std::size_t>(key)];
}

// Adds `more` to `sum`: numbers, types with Members(), and maps and arrays of
// them.
template <typename Sum>
void AddTo(Sum& sum, const Sum& more) {
  if constexpr (requires { sum += more; }) {
    sum += more;
  } else if constexpr (requires { typename Sum::mapped_type; }) {
    for (const auto& [key, value] : more) AddTo(sum[key], value);
  } else {
    for (std::size_t i = 0; i < sum.size(); ++i) AddTo(sum[i], more[i]);
  }
}

// For types whose Members() returns a tuple of everything to add.
template <typename Sum>
requires requires(Sum& sum) { Sum::Members(sum); }
Sum& operator+=(Sum& sum, const std::type_identity_t<Sum>& more) {
  std::apply(
      [&](auto&... to) {
        std::apply([&](const auto&... from) { (AddTo(to, from), ...); },
                   Sum::Members(more));
      },
      Sum::Members(sum));
  return sum;
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_SUMS_H_
