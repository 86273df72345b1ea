#include "policy/native/trainer_version.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"

namespace mulligan::trainer {
namespace {

constexpr std::string_view kKep2170 = "kep-2170";
constexpr int kLastMinorWithoutFinalFailed = 2;

// The minor number of "2.2", "v2.2" or "2.2.1".
std::optional<int> MinorOf(std::string_view release) {
  if (release.starts_with('v')) release.remove_prefix(1);
  if (!release.starts_with("2.")) return std::nullopt;
  release.remove_prefix(2);
  int minor = 0;
  const char* const last = release.data() + release.size();
  const auto [end, error] = std::from_chars(release.data(), last, minor);
  if (error != std::errc() || minor < 0 || (end != last && *end != '.')) {
    return std::nullopt;
  }
  return minor;
}

}  // namespace

Version Kep2170() {
  Version version;
  version.created_condition = true;
  version.failed_is_final = false;
  return version;
}

VersionSetup VersionFor(const v1::NativeSemantics& semantics) {
  VersionSetup setup;
  setup.semantics = "trainer 2026-08";
  const auto version = semantics.versions().find("trainer");
  if (version == semantics.versions().end()) return setup;
  if (version->second == kKep2170) {
    setup.version = Kep2170();
    setup.semantics = "trainer kep-2170";
  } else if (const auto minor = MinorOf(version->second)) {
    setup.version.failed_is_final = *minor > kLastMinorWithoutFinalFailed;
    setup.semantics = absl::StrFormat("trainer 2.%d", *minor);
  } else {
    setup.warnings.push_back(
        absl::StrFormat("versions.trainer: '%s' is neither kep-2170 nor a "
                        "release like 2.2; the "
                        "semantics of the default branch in 2026-08 are used",
                        version->second));
  }
  return setup;
}

}  // namespace mulligan::trainer
