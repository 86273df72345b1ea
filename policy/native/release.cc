#include "policy/native/release.h"

#include <charconv>
#include <system_error>

#include "absl/strings/str_format.h"
#include "policy/native/objects.h"

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

int ChosenMinor(const v1::NativeSemantics& semantics, const Releases& releases,
                std::vector<std::string>& warnings) {
  const auto* const version = FindValue(semantics.versions(), releases.name);
  if (version == nullptr) return releases.usual_minor;
  const std::optional<int> minor = MinorOf(*version, releases.major);
  if (minor && *minor <= releases.latest_minor) return *minor;
  const std::string latest =
      absl::StrCat(releases.major, ".", releases.latest_minor);
  warnings.push_back(absl::StrFormat(
      "versions.%s: '%s' is %s; the semantics of %s are used", releases.name,
      *version,
      minor ? "newer than what is known here" : "no release like " + latest,
      latest));
  return releases.latest_minor;
}

}  // namespace mulligan
