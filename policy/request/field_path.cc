#include "policy/request/field_path.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace mulligan {

std::string FieldPath::ToString() const {
  std::string text = parent_ == nullptr ? "" : parent_->ToString();
  absl::StrAppend(&text, text.empty() ? "" : ".", name_);
  if (index_ >= 0) absl::StrAppend(&text, "[", index_, "]");
  return text;
}

void FieldPath::BadText(std::size_t size, std::size_t limit) const {
  Violate(absl::StrCat(size, " bytes, expected at most ", limit));
}

void FieldPath::BadCount(int count, int limit, const char* what) const {
  Violate(absl::StrCat(count, " ", what, ", expected at most ", limit));
}

void FieldPath::BadTime(const google::protobuf::Timestamp& time) const {
  Violate(absl::StrCat(time.seconds(), " s and ", time.nanos(),
                       " ns, expected a time between the years 1 and 9999"));
}

void FieldPath::Number(const char* name, std::int64_t value, std::int64_t low,
                       std::int64_t high) const {
  if (value >= low && value <= high) return;
  In(name).Violate(absl::StrCat(value, ", expected ", low, " to ", high));
}

void FieldPath::Finite(const char* name, double value) const {
  if (std::isfinite(value)) return;
  In(name).Violate(absl::StrCat(value, ", expected a finite number"));
}

void FieldPath::Span(const char* name,
                     const google::protobuf::Duration& duration) const {
  if (IsValidDuration(duration) && duration.seconds() >= 0 &&
      duration.nanos() >= 0) {
    return;
  }
  In(name).Violate(
      absl::StrCat(duration.seconds(), " s and ", duration.nanos(),
                   " ns, expected a duration from 0 to 10000 years"));
}

}  // namespace mulligan
