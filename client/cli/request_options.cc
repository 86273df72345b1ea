#include "client/cli/request_options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/utf8.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::cli {
namespace {

// Read twice, the second time would be empty without anybody noticing.
absl::Status CheckStandardInput(const RequestOptions& options) {
  const auto uses =
      std::count(options.files.begin(), options.files.end(), "-") +
      (options.ledger == "-" ? 1 : 0);
  if (uses <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "\"-\": standard input is named %d times, expected once", uses));
}

absl::Status SetObservedAt(const RequestOptions& options,
                           const google::protobuf::Timestamp& now,
                           v1::FailureReport& report) {
  if (options.observed_at.empty()) {
    if (!report.has_observed_at()) *report.mutable_observed_at() = now;
    return absl::OkStatus();
  }
  if (google::protobuf::util::TimeUtil::FromString(
          options.observed_at, report.mutable_observed_at())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "--observed-at: \"%s\" is not a time such as 2026-01-31T08:00:00Z",
      Printable(options.observed_at)));
}

absl::Status SetExplain(const std::string& level, OutputFormat format,
                        v1::DecideRequest& request) {
  if (level.empty()) {
    if (request.explain() == v1::DecideRequest::EXPLAIN_UNSPECIFIED &&
        format == OutputFormat::kHuman) {
      request.set_explain(v1::DecideRequest::FULL);
    }
    return absl::OkStatus();
  }
  if (level == "none") {
    request.set_explain(v1::DecideRequest::EXPLAIN_NONE);
  } else if (level == "summary") {
    request.set_explain(v1::DecideRequest::SUMMARY);
  } else if (level == "full") {
    request.set_explain(v1::DecideRequest::FULL);
  } else {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--explain: \"%s\" is none of none, summary, full", Printable(level)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Inputs> MakeRequest(const RequestOptions& options,
                                   OutputFormat format,
                                   const google::protobuf::Timestamp& now,
                                   std::istream& standard_input) {
  if (absl::Status status = CheckStandardInput(options); !status.ok()) {
    return status;
  }
  absl::StatusOr<Inputs> inputs = ReadInputs(options.files, standard_input);
  if (!inputs.ok()) return inputs;
  v1::DecideRequest& request = inputs->request;
  v1::FailureReport& report = *request.mutable_report();
  absl::Status status = SetObservedAt(options, now, report);
  if (status.ok()) status = SetExplain(options.explain, format, request);
  if (!status.ok()) return status;
  if (!options.failure_id.empty()) report.set_failure_id(options.failure_id);
  if (options.attempt.has_value()) report.set_attempt(*options.attempt);
  if (!options.policy_name.empty()) request.set_policy(options.policy_name);
  if (options.compare_native) request.set_compare_native(true);
  if (!options.ledger.empty()) {
    absl::StatusOr<v1::BudgetLedger> ledger =
        ReadLedger(options.ledger, standard_input);
    if (!ledger.ok()) return ledger.status();
    *request.mutable_ledger() = *std::move(ledger);
  }
  return inputs;
}

}  // namespace mulligan::cli
