#include "client/cli/answer.h"

#include <string>

#include "client/cli/human.h"
#include "client/cli/inputs.h"
#include "client/cli/proto_json.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::cli {
namespace {

absl::StatusOr<std::string> Format(const v1::DecideResponse& response,
                                   const OutputOptions& output, bool verbose) {
  if (output.format == OutputFormat::kJson) {
    return PrintProtoJson(response, JsonLayout::kPretty);
  }
  return FormatForPeople(response, {.color = output.color, .verbose = verbose});
}

absl::Status StoreLedger(const std::string& path,
                         const v1::BudgetLedger& ledger) {
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> json =
      PrintProtoJson(ledger, JsonLayout::kCompact);
  return json.ok() ? WriteOutput(path, *json) : json.status();
}

}  // namespace

int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Decider& decide,
              const FailureHandler& fail, Streams& streams) {
  const absl::StatusOr<Inputs> inputs = MakeRequest(
      request_options, output.format,
      google::protobuf::util::TimeUtil::GetCurrentTime(), streams.in);
  if (!inputs.ok()) return Fail(streams, inputs.status());
  absl::StatusOr<v1::DecideResponse> response = decide(inputs->request);
  if (!response.ok()) {
    for (const std::string& warning : inputs->warnings) {
      PrintError(streams, "warning: " + warning);
    }
    return fail(streams, response.status());
  }
  for (const std::string& warning : inputs->warnings) {
    response->add_warnings(warning);
  }
  const absl::StatusOr<std::string> text =
      Format(*response, output, request_options.explain == "full");
  if (!text.ok()) return Fail(streams, text.status());
  // First the ledger: an answer that was seen but not recorded would be free.
  absl::Status stored =
      StoreLedger(request_options.ledger_out, response->ledger());
  if (!stored.ok()) return Fail(streams, stored);
  streams.out << *text;
  return FinishOutput(streams);
}

}  // namespace mulligan::cli
