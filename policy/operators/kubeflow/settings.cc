#include "policy/operators/kubeflow/settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/operators/go_text.h"
#include "policy/operators/objects.h"

namespace mulligan::kubeflow {
namespace {

constexpr int kLatestMinor = 9;
constexpr std::string_view kTf2018 = "tf-2018";
constexpr std::array<std::int32_t, 4> kTf2018Retryable = {130, 137, 138, 143};

constexpr std::array<FeatureRow<Version>, 2> kFeatures = {{
    {&Version::permanent_code_fails_job, 8},
    {&Version::managed_by, 9},
}};

// A whole decimal number from 0 on, without a sign.
std::optional<std::int64_t> NumberIn(std::string_view text) {
  const std::optional<std::int64_t> number = GoInteger(text);
  return number < 0 || text.starts_with('+') ? std::nullopt : number;
}

// "v1" is the last release.
std::optional<int> ReleaseOf(std::string_view version) {
  if (version == "v1" || version == "1") return kLatestMinor;
  return MinorOf(version, 1);
}

}  // namespace

bool IsRetryableExitCode(std::int32_t code, ExitCodeTable table) {
  if (table == ExitCodeTable::kAtLeast128) return code >= 128;
  return std::find(kTf2018Retryable.begin(), kTf2018Retryable.end(), code) !=
         kTf2018Retryable.end();
}

Setup<Version> VersionFor(const v1::NativeSemantics& semantics) {
  Setup<Version> setup;
  int minor = kLatestMinor;
  if (const auto* const version = FindValue(semantics.versions(), "kubeflow")) {
    const std::optional<int> release = ReleaseOf(*version);
    if (*version == kTf2018) {
      setup.settings.exit_codes = ExitCodeTable::kTf2018;
    } else if (release.has_value() && *release <= kLatestMinor) {
      minor = *release;
    } else {
      setup.warnings.push_back(absl::StrFormat(
          "versions.kubeflow: '%s' is neither tf-2018 nor a release up to 1.9; "
          "the semantics of 1.%d are used",
          *version, kLatestMinor));
    }
  }
  if (const auto* const requeues =
          FindValue(semantics.settings(), "kubeflow.requeues")) {
    const std::optional<std::int64_t> number = NumberIn(*requeues);
    setup.settings.requeues = number.value_or(0);
    if (!number.has_value()) {
      setup.warnings.push_back(absl::StrFormat(
          "settings.kubeflow.requeues: '%s' is no number from 0 on; 0 is used",
          *requeues));
    }
  }
  SetRelease(kFeatures, minor, setup.settings);
  setup.semantics = absl::StrCat("training-operator 1.", minor);
  if (setup.settings.exit_codes == ExitCodeTable::kTf2018) {
    setup.semantics += " tf-2018";
  }
  return setup;
}

}  // namespace mulligan::kubeflow
