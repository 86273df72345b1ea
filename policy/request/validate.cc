#include "policy/request/validate.h"

#include <cmath>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "policy/limits.h"
#include "policy/request/validate_parts.h"

namespace mulligan {
namespace {

// What both kinds of request have.
void ValidateCommon(const auto& asked, const FieldPath& request) {
  const FieldPath report = request.In("report");
  if (asked.has_report()) {
    ValidateReport(asked.report(), report);
  } else {
    report.Violate("absent, expected what failed");
  }
}

constexpr char kPayload[] = "type.googleapis.com/google.rpc.BadRequest";

FieldViolation ViolationIn(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string_view::npos) return {"", std::string(message)};
  return {std::string(message.substr(0, colon)),
          std::string(message.substr(colon + 2))};
}

}  // namespace

std::string FieldPath::ToString() const {
  std::string text = parent_ == nullptr ? "" : parent_->ToString();
  absl::StrAppend(&text, text.empty() ? "" : ".", name_);
  if (index_ >= 0) absl::StrAppend(&text, "[", index_, "]");
  return text;
}

void FieldPath::BadText(std::size_t size, std::size_t most) const {
  Violate(absl::StrCat(size, " bytes, expected at most ", most));
}

void FieldPath::BadCount(int count, int most, const char* what) const {
  Violate(absl::StrCat(count, " ", what, ", expected at most ", most));
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

std::vector<FieldViolation> Validate(const v1::DecideRequest& request) {
  std::vector<FieldViolation> violations;
  const FieldPath path(violations);
  ValidateCommon(request, path);
  if (request.has_ledger()) {
    ValidateLedger(request.ledger(), path.In("ledger"));
  }
  ValidateRecent(request.recent(), path);
  path.Name("policy", request.policy());
  path.Text("requestId", request.request_id(), kMaxIdBytes);
  return violations;
}

std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request) {
  std::vector<FieldViolation> violations;
  const FieldPath path(violations);
  ValidateCommon(request, path);
  path.Name("policy", request.policy());
  return violations;
}

absl::Status Refusal(std::string_view message,
                     const std::vector<FieldViolation>& violations) {
  absl::Status status =
      absl::InvalidArgumentError({message.data(), message.size()});
  google::rpc::BadRequest details;
  for (const FieldViolation& violation : violations) {
    auto& added = *details.add_field_violations();
    added.set_field(violation.field);
    added.set_description(violation.description);
  }
  status.SetPayload(kPayload, absl::Cord(details.SerializePartialAsString()));
  return status;
}

absl::Status RefuseViolations(const std::vector<FieldViolation>& violations) {
  if (violations.empty()) return absl::OkStatus();
  std::string text;
  for (const FieldViolation& violation : violations) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", violation.field, ": ",
                    violation.description);
  }
  return Refusal(text, violations);
}

std::vector<FieldViolation> ViolationsIn(const absl::Status& status) {
  std::vector<FieldViolation> violations;
  if (!absl::IsInvalidArgument(status)) return violations;
  google::rpc::BadRequest details;
  if (const auto payload = status.GetPayload(kPayload); payload.has_value()) {
    details.ParsePartialFromString(std::string(*payload));
  }
  for (const auto& violation : details.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  if (violations.empty()) {
    violations.push_back(
        ViolationIn({status.message().data(), status.message().size()}));
  }
  return violations;
}

}  // namespace mulligan
