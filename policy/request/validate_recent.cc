#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/limits.h"
#include "policy/request/field_checks.h"
#include "policy/request/validate_parts.h"

namespace mulligan {
namespace {

void ValidateGroup(const v1::FailureGroup& group, const FieldPath& path,
                   Violations& violations) {
  CheckText(group.node(), kMaxNameBytes, FieldPath(path, "node"), violations);
  CheckText(group.zone(), kMaxNameBytes, FieldPath(path, "zone"), violations);
  CheckText(group.image(), kMaxNameBytes, FieldPath(path, "image"), violations);
  CheckNumber(group.workloads(), 1, kMaxRecentCount,
              FieldPath(path, "workloads"), violations);
  if (!std::isfinite(group.usual()) || group.usual() < 0 ||
      group.usual() > kMaxRecentCount) {
    violations.Add(
        FieldPath(path, "usual"),
        absl::StrCat(group.usual(), ", expected 0 to ", kMaxRecentCount));
  }
}

void ValidateWindow(const google::protobuf::Duration& window,
                    const FieldPath& path, Violations& violations) {
  if (!IsValidDuration(window) || ToDuration(window) <= absl::ZeroDuration() ||
      ToDuration(window) > absl::Seconds(kMaxRecentSeconds)) {
    violations.Add(path,
                   absl::StrCat(window.seconds(), " s and ", window.nanos(),
                                " ns, expected more than 0 and at most ",
                                kMaxRecentSeconds, " s"));
  }
}

void ValidateDigest(const v1::RecentFailures& recent, const FieldPath& path,
                    Violations& violations) {
  ValidateWindow(recent.window(), FieldPath(path, "window"), violations);
  const struct {
    const char* field;
    std::int32_t value;
  } counts[] = {{"failed", recent.failed()},
                {"running", recent.running()},
                {"nodes", recent.nodes()},
                {"canaries", recent.canaries()},
                {"recovered", recent.recovered()}};
  for (const auto& count : counts) {
    CheckNumber(count.value, 0, kMaxRecentCount, FieldPath(path, count.field),
                violations);
  }
  CheckText(recent.zone(), kMaxNameBytes, FieldPath(path, "zone"), violations);
  CheckText(recent.image(), kMaxNameBytes, FieldPath(path, "image"),
            violations);
  CheckCount(recent.groups_size(), kMaxFailureGroups, "groups",
             FieldPath(path, "groups"), violations);
  std::int64_t sum = 0;
  for (int i = 0; i < recent.groups_size(); ++i) {
    ValidateGroup(recent.groups(i), FieldPath(path, "groups", i), violations);
    sum += recent.groups(i).workloads();
  }
  if (recent.failed() >= 0 && recent.failed() < sum) {
    violations.Add(FieldPath(path, "failed"),
                   absl::StrCat(recent.failed(), ", expected at least the ",
                                sum, " workloads of its groups"));
  }
}

}  // namespace

void ValidateRecent(
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    Violations& violations) {
  CheckCount(recent.size(), kMaxRecentWindows, "windows", FieldPath("recent"),
             violations);
  for (int i = 0; i < recent.size(); ++i) {
    // "recent[1]": a list at the top of the request.
    const std::string name = absl::StrCat("recent[", i, "]");
    ValidateDigest(recent[i], FieldPath(name.c_str()), violations);
  }
}

}  // namespace mulligan
