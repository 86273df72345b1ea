#include "policy/operators/job/pods.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace mulligan::job {
namespace {

// As Go's strconv.Atoi: the whole text, with an optional sign.
std::optional<std::int64_t> Decimal(std::string_view text) {
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

std::optional<std::int64_t> DecimalAnnotation(const Pod& pod,
                                              std::string_view key) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find(std::string(key));
  if (found == annotations.end()) return std::nullopt;
  return Decimal(found->second);
}

std::int32_t CountAnnotation(const Pod& pod, std::string_view key) {
  const std::int64_t value = DecimalAnnotation(pod, key).value_or(0);
  const bool fits =
      value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : 0;
}

}  // namespace

bool HasPhase(const Pod& pod, std::string_view phase) {
  return pod.status().phase() == phase;
}

bool HasTrackingFinalizer(const Pod& pod) {
  const auto& finalizers = pod.metadata().finalizers();
  return std::find(finalizers.begin(), finalizers.end(),
                   kJobTrackingFinalizer) != finalizers.end();
}

bool IsBeingDeleted(const Pod& pod) {
  return pod.metadata().has_deletion_timestamp();
}

bool IsActive(const Pod& pod) {
  return !HasPhase(pod, "Succeeded") && !HasPhase(pod, "Failed") &&
         !IsBeingDeleted(pod);
}

bool IsTerminating(const Pod& pod) {
  return !HasPhase(pod, "Succeeded") && !HasPhase(pod, "Failed") &&
         IsBeingDeleted(pod);
}

std::optional<std::int64_t> CompletionIndex(const Pod& pod) {
  const auto index = DecimalAnnotation(pod, kCompletionIndexAnnotation);
  return index.value_or(-1) < 0 ? std::nullopt : index;
}

std::int32_t IndexFailureCount(const Pod& pod) {
  return CountAnnotation(pod, kIndexFailureCountAnnotation);
}

std::int32_t IndexIgnoredFailureCount(const Pod& pod) {
  return CountAnnotation(pod, kIndexIgnoredFailureCountAnnotation);
}

std::int64_t IndexAbsoluteFailureCount(const Pod& pod) {
  return std::int64_t{IndexFailureCount(pod)} + IndexIgnoredFailureCount(pod);
}

}  // namespace mulligan::job
