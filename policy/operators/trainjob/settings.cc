#include "policy/operators/trainjob/settings.h"

#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/release.h"

namespace mulligan::trainjob {
namespace {

constexpr std::string_view kKep2170 = "kep-2170";
constexpr int kMajor = 2;
// Later ones are taken for the default branch.
constexpr int kLatestMinor = 2;

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
  } else if (const auto minor = MinorOf(version->second, kMajor);
             minor.has_value() && *minor <= kLatestMinor) {
    setup.version.failed_is_final = false;
    setup.version.first_release = *minor == 0;
    setup.semantics = absl::StrFormat("trainer 2.%d", *minor);
  } else {
    setup.warnings.push_back(absl::StrFormat(
        "versions.trainer: '%s' is neither kep-2170 nor a release up to 2.%d; "
        "the semantics of the default branch in 2026-08 are used",
        version->second, kLatestMinor));
  }
  return setup;
}

}  // namespace mulligan::trainjob
