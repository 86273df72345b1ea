#include "policy/operators/kubeflow/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"
#include "policy/operators/release.h"

namespace mulligan::kubeflow {
namespace {

constexpr int kLatestMinor = 9;
constexpr int kPermanentCodeFailsSince = 8;
constexpr int kManagedBySince = 9;
constexpr std::string_view kTf2018 = "tf-2018";
constexpr std::array<std::int32_t, 4> kTf2018Retryable = {130, 137, 138, 143};

// A whole decimal number from 0 on, up to the end of `text`.
std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || number < 0) return std::nullopt;
  return number;
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

VersionSetup VersionFor(const v1::NativeSemantics& semantics) {
  VersionSetup setup;
  int minor = kLatestMinor;
  const auto version = semantics.versions().find("kubeflow");
  if (version != semantics.versions().end()) {
    if (version->second == kTf2018) {
      setup.version.exit_codes = ExitCodeTable::kTf2018;
    } else if (const auto parsed = ReleaseOf(version->second);
               parsed.has_value() && *parsed <= kLatestMinor) {
      minor = *parsed;
    } else {
      setup.warnings.push_back(absl::StrFormat(
          "versions.kubeflow: '%s' is neither tf-2018 nor a release up to 1.9; "
          "the semantics of 1.%d are used",
          version->second, kLatestMinor));
    }
  }
  const auto requeues = semantics.settings().find("kubeflow.requeues");
  if (requeues != semantics.settings().end()) {
    if (const auto number = NumberIn(requeues->second)) {
      setup.version.requeues = *number;
    } else {
      setup.warnings.push_back(absl::StrFormat(
          "settings.kubeflow.requeues: '%s' is no number from 0 on; 0 is used",
          requeues->second));
    }
  }
  setup.version.permanent_code_fails_job = minor >= kPermanentCodeFailsSince;
  setup.version.managed_by = minor >= kManagedBySince;
  setup.semantics = absl::StrFormat("training-operator 1.%d", minor);
  if (setup.version.exit_codes == ExitCodeTable::kTf2018) {
    setup.semantics += " tf-2018";
  }
  return setup;
}

}  // namespace mulligan::kubeflow
