#include "policy/request/field_checks.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/base/times.h"

namespace mulligan {

void AddBadText(std::size_t size, std::size_t most, const FieldPath& path,
                Violations& violations) {
  violations.Add(path, absl::StrCat(size, " bytes, expected at most ", most));
}

void AddBadCount(int count, int most, const char* what, const FieldPath& path,
                 Violations& violations) {
  violations.Add(path,
                 absl::StrCat(count, " ", what, ", expected at most ", most));
}

void AddBadTime(const google::protobuf::Timestamp& time, const FieldPath& path,
                Violations& violations) {
  violations.Add(path, absl::StrCat(time.seconds(), " s and ", time.nanos(),
                                    " ns, expected a time between the years "
                                    "1 and 9999"));
}

void CheckNumber(std::int64_t value, std::int64_t low, std::int64_t high,
                 const FieldPath& path, Violations& violations) {
  if (value < low || value > high) {
    violations.Add(path, absl::StrCat(value, ", expected ", low, " to ", high));
  }
}

void CheckFinite(double value, const FieldPath& path, Violations& violations) {
  if (!std::isfinite(value)) {
    violations.Add(path, absl::StrCat(value, ", expected a finite number"));
  }
}

void CheckSpan(const google::protobuf::Duration& duration,
               const FieldPath& path, Violations& violations) {
  if (!IsValidDuration(duration) || duration.seconds() < 0 ||
      duration.nanos() < 0) {
    violations.Add(path,
                   absl::StrCat(duration.seconds(), " s and ", duration.nanos(),
                                " ns, expected a duration from 0 to "
                                "10000 years"));
  }
}

}  // namespace mulligan
