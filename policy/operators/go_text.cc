#include "policy/operators/go_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace mulligan {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // in nanoseconds

// `nanos` in units of `unit`, without trailing zeros: 1500, 1000 -> "1.5".
std::string Decimal(std::uint64_t nanos, std::uint64_t unit) {
  std::string text = absl::StrCat(nanos / unit);
  std::uint64_t rest = nanos % unit;
  if (rest == 0) return text;
  text += '.';
  while (rest != 0) {
    unit /= 10;
    absl::StrAppend(&text, rest / unit);
    rest %= unit;
  }
  return text;
}

struct Unit {
  std::uint64_t nanos;
  std::string_view name;
};
constexpr std::array<Unit, 3> kBelowASecond = {{
    {1'000'000, "ms"},
    {1'000, "\xC2\xB5s"},
    {1, "ns"},
}};

std::string Positive(std::uint64_t nanos) {
  for (const Unit& unit : kBelowASecond) {
    if (nanos < kSecond && nanos >= unit.nanos) {
      return absl::StrFormat("%s%s", Decimal(nanos, unit.nanos), unit.name);
    }
  }
  const std::uint64_t minutes = nanos / kSecond / 60;
  const std::string seconds = Decimal(nanos - minutes * 60 * kSecond, kSecond);
  if (minutes == 0) return absl::StrCat(seconds, "s");
  if (minutes < 60) return absl::StrCat(minutes, "m", seconds, "s");
  return absl::StrCat(minutes / 60, "h", minutes % 60, "m", seconds, "s");
}

}  // namespace

std::optional<std::int64_t> GoInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::string GoDuration(absl::Duration duration) {
  const std::int64_t nanos = absl::ToInt64Nanoseconds(duration);
  if (nanos >= 0) return Positive(static_cast<std::uint64_t>(nanos));
  return absl::StrCat("-", Positive(0 - static_cast<std::uint64_t>(nanos)));
}

std::string GoTimestamp(absl::Time time) {
  return absl::FormatTime("%E4Y-%m-%d %H:%M:%E*S +0000 UTC", time,
                          absl::UTCTimeZone());
}

}  // namespace mulligan
