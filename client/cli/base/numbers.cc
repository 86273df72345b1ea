#include "client/cli/base/numbers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace mulligan::cli {

std::string WithCommas(Count count) {
  std::string digits = absl::StrCat(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string Plural(Count count, std::string_view one, std::string_view many) {
  return absl::StrFormat("%s %s", WithCommas(count), count == 1 ? one : many);
}

std::string Percent(Count part, Count whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double share =
      100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share < 0.1 ? "<0.1 %" : absl::StrFormat("%.1f %%", share);
}

std::string UtcText(std::string_view format, std::int64_t seconds) {
  return absl::FormatTime({format.data(), format.size()},
                          absl::FromUnixSeconds(seconds), absl::UTCTimeZone());
}

}  // namespace mulligan::cli
