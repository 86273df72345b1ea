#include "policy/operators/release.h"

#include <charconv>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan {

std::optional<int> MinorOf(std::string_view release, int major) {
  if (release.starts_with('v')) release.remove_prefix(1);
  const std::string prefix = absl::StrCat(major, ".");
  if (!release.starts_with(prefix)) return std::nullopt;
  release.remove_prefix(prefix.size());
  int minor = 0;
  const char* const last = release.data() + release.size();
  const auto [end, error] = std::from_chars(release.data(), last, minor);
  if (error != std::errc() || minor < 0 || (end != last && *end != '.')) {
    return std::nullopt;
  }
  return minor;
}

int ChosenMinor(const v1::NativeSemantics& semantics,
                const std::string& operator_name, int major, int latest,
                std::vector<std::string>& warnings) {
  const auto version = semantics.versions().find(operator_name);
  if (version == semantics.versions().end()) return latest;
  const std::optional<int> minor = MinorOf(version->second, major);
  if (minor && *minor <= latest) return *minor;
  warnings.push_back(absl::StrFormat(
      "versions.%s: '%s' is %s; the semantics of %d.%d are used", operator_name,
      version->second,
      minor ? std::string("newer than what is known here")
            : absl::StrFormat("no release like %d.%d", major, latest),
      major, latest));
  return latest;
}

}  // namespace mulligan
