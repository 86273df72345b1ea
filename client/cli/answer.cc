#include "client/cli/answer.h"

#include <string>
#include <vector>

#include "client/cli/human.h"
#include "client/cli/inputs.h"
#include "client/cli/proto_json.h"
#include "client/cli/workload_table.h"
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

// One verdict for each workload: a table, or a JSON array.
int AnswerEach(const Inputs& inputs, const OutputOptions& output,
               const Decider& decide, Streams& streams) {
  std::vector<WorkloadAnswer> answers;
  for (const WorkloadReport& workload : inputs.workloads) {
    v1::DecideRequest request = inputs.request;
    request.mutable_report()->MergeFrom(workload.report);
    answers.push_back({workload.group.Label(), decide(request)});
  }
  for (const std::string& warning : inputs.warnings) {
    PrintError(streams, "warning: " + warning);
  }
  SortWorstFirst(answers);
  if (output.format == OutputFormat::kJson) {
    const absl::StatusOr<std::string> json = FormatWorkloadsAsJson(answers);
    if (!json.ok()) return Fail(streams, json.status());
    streams.out << *json;
  } else {
    streams.out << FormatWorkloads(answers, output.color);
  }
  return FinishOutput(streams);
}

}  // namespace

int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Decider& decide,
              const FailureHandler& fail, Streams& streams) {
  const absl::StatusOr<Inputs> inputs = MakeRequest(
      request_options, output.format,
      google::protobuf::util::TimeUtil::GetCurrentTime(), streams.in);
  if (!inputs.ok()) return Fail(streams, inputs.status());
  if (!inputs->workloads.empty()) {
    return AnswerEach(*inputs, output, decide, streams);
  }
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
