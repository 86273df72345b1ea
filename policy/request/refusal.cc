#include "policy/request/refusal.h"

#include <map>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "policy/base/issue.h"

namespace mulligan {
namespace {

constexpr char kPayload[] = "type.googleapis.com/google.rpc.BadRequest";

}  // namespace

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
  google::rpc::BadRequest details;
  if (const auto payload = status.GetPayload(kPayload); payload.has_value()) {
    details.ParsePartialFromString(std::string(*payload));
  }
  for (const auto& violation : details.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return violations;
}

}  // namespace mulligan
