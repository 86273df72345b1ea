#include "client/ledger.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/util/json_util.h"

namespace mulligan {

absl::StatusOr<std::optional<v1::BudgetLedger>> LedgerFromAnnotation(
    std::string_view text, std::string_view uid) {
  if (absl::StripAsciiWhitespace({text.data(), text.size()}).empty()) {
    return std::optional<v1::BudgetLedger>();
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::BudgetLedger ledger;
  const auto status = google::protobuf::util::JsonStringToMessage(
      {text.data(), text.size()}, &ledger, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "annotation %s: expected the ledger of an earlier answer as JSON: %s",
        kLedgerAnnotation,
        std::string(status.message().data(), status.message().size())));
  }
  if (!ledger.workload_uid().empty() && !uid.empty() &&
      ledger.workload_uid() != uid) {
    return std::optional<v1::BudgetLedger>();
  }
  return std::make_optional(std::move(ledger));
}

absl::StatusOr<std::string> LedgerToAnnotation(const v1::BudgetLedger& ledger) {
  std::string text;
  if (ledger.ByteSizeLong() == 0) return text;
  const auto status =
      google::protobuf::util::MessageToJsonString(ledger, &text);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "ledger: %s",
        std::string(status.message().data(), status.message().size())));
  }
  absl::StripTrailingAsciiWhitespace(&text);
  if (text.size() > kMaxLedgerAnnotationBytes) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "ledger: %d bytes as JSON, expected at most %d as in every answer",
        text.size(), kMaxLedgerAnnotationBytes));
  }
  return text;
}

v1::BudgetLedger HandOnLedger(v1::BudgetLedger ledger) {
  ledger.clear_workload_uid();
  ledger.clear_native_count();
  return ledger;
}

}  // namespace mulligan
