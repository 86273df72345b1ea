#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/commands.h"
#include "client/cli/print/html.h"
#include "client/cli/print/human.h"
#include "client/cli/print/layout.h"
#include "client/cli/print/workloads.h"
#include "client/cli/story/story.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::cli {
namespace {

absl::StatusOr<v1::DecideResponse> Ask(const v1::DecideRequest& request,
                                       const RequestOptions& options,
                                       const Answerer& answerer) {
  absl::StatusOr<v1::DecideResponse> response = answerer.decide(request);
  if (response.ok() && request.compare_native() && !options.compare_native) {
    DropNativeWarnings(*response);
  }
  return response;
}

// Asks about one of several workloads, with the ledger on its own object.
absl::StatusOr<v1::DecideResponse> AskOneOfMany(v1::DecideRequest& request,
                                                const RequestOptions& options,
                                                const Answerer& answerer,
                                                std::string& ledger_source) {
  std::vector<std::string> warnings;
  ledger_source = TakeAnnotatedLedger(request, warnings);
  absl::StatusOr<v1::DecideResponse> response = Ask(request, options, answerer);
  if (!response.ok()) return response;
  for (std::string& warning : warnings) {
    response->add_warnings(std::move(warning));
  }
  return response;
}

AnswerView MakeView(const v1::DecideRequest& request,
                    v1::DecideResponse response,
                    const std::string& ledger_source,
                    const Answerer& answerer) {
  RuleLines rule;
  if (answerer.rule_lines) {
    rule = answerer.rule_lines(response.explanation().matched_rule());
  }
  return {MakeStory(request, response, ledger_source), request.report(),
          std::move(response), std::move(rule)};
}

absl::StatusOr<std::string> Format(const AnswerView& view,
                                   const OutputOptions& output,
                                   const RequestOptions& options) {
  switch (output.format) {
    case OutputFormat::kHuman:
      return FormatForPeople(view.story, view.response,
                             {.color = output.color,
                              .details = options.details,
                              .verbose = options.explain == "full",
                              .native = options.compare_native});
    case OutputFormat::kHtml:
      return HtmlPage(view);
    default:
      return PrintProtoAs(output.format, view.response);
  }
}

absl::Status StoreLedger(const std::string& path,
                         const v1::BudgetLedger& ledger) {
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> json = PrintCompactJson(ledger);
  return json.ok() ? WriteOutput(path, *json + '\n') : json.status();
}

// Returns the view of the only broken workload; null unless there is exactly
// one.
const AnswerView* OnlyBroken(const WorkloadList& list,
                             const std::vector<AnswerView>& views) {
  if (std::ranges::count_if(list.answers, IsBroken) != 1) return nullptr;
  const auto broken = std::ranges::find_if(list.answers, IsBroken);
  return &views[static_cast<std::size_t>(broken->story)];
}

// Returns the table, followed by the story if only one is broken.
absl::StatusOr<std::string> FormatTable(const WorkloadList& list,
                                        const std::vector<AnswerView>& views,
                                        const OutputOptions& output,
                                        const RequestOptions& options) {
  const AnswerView* const broken = OnlyBroken(list, views);
  std::string text = FormatWorkloads(
      list, output.color, broken == nullptr ? options.name_one : std::string());
  if (broken == nullptr) return text;
  const absl::StatusOr<std::string> story = Format(*broken, output, options);
  if (!story.ok()) return story.status();
  return text + *story;
}

absl::StatusOr<std::string> FormatEach(const WorkloadList& list,
                                       const std::vector<AnswerView>& views,
                                       const OutputOptions& output,
                                       const RequestOptions& options) {
  switch (output.format) {
    case OutputFormat::kHuman:
      return FormatTable(list, views, output, options);
    case OutputFormat::kHtml:
      return HtmlPages(list, views, options.name_one);
    default:
      return FormatWorkloadsAs(output.format, list);
  }
}

int AnswerEach(const RequestOptions& options, const Inputs& inputs,
               const OutputOptions& output, const Answerer& answerer,
               Streams& streams) {
  std::vector<WorkloadAnswer> answers;
  std::vector<AnswerView> views;
  for (const WorkloadReport& workload : inputs.workloads) {
    v1::DecideRequest request = inputs.request;
    request.mutable_report()->MergeFrom(workload.report);
    std::string ledger_source;
    WorkloadAnswer& answer = answers.emplace_back(WorkloadAnswer{
        workload.group.Label(),
        AskOneOfMany(request, options, answerer, ledger_source)});
    if (!IsForPeople(output.format) || !answer.response.ok()) continue;
    answer.story = static_cast<int>(views.size());
    views.push_back(
        MakeView(request, *answer.response, ledger_source, answerer));
    answer.headline = views.back().story.headline;
  }
  PrintWarnings(streams, inputs.warnings);
  const WorkloadList list = ListWorkloads(
      std::move(answers), {.causes = options.causes, .broken = options.broken});
  return Print(streams, FormatEach(list, views, output, options));
}

}  // namespace

int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Answerer& answerer,
              Streams& streams) {
  absl::StatusOr<Inputs> inputs = MakeRequest(
      request_options, output.format,
      google::protobuf::util::TimeUtil::GetCurrentTime(), streams.in);
  if (!inputs.ok()) return Fail(streams, inputs.status());
  if (!inputs->workloads.empty()) {
    return AnswerEach(request_options, *inputs, output, answerer, streams);
  }
  std::string annotated =
      TakeAnnotatedLedger(inputs->request, inputs->warnings);
  if (!annotated.empty()) inputs->ledger_source = std::move(annotated);
  absl::StatusOr<v1::DecideResponse> response =
      Ask(inputs->request, request_options, answerer);
  if (!response.ok()) {
    PrintWarnings(streams, inputs->warnings);
    return answerer.fail(streams, response.status());
  }
  for (const std::string& warning : inputs->warnings) {
    response->add_warnings(warning);
  }
  // Stores the ledger before printing, because an answer that is seen but not
  // recorded would not be charged.
  absl::Status stored =
      StoreLedger(request_options.ledger_out, response->ledger());
  if (!stored.ok()) return Fail(streams, stored);
  // The list's filters may exclude the only workload.
  const WorkloadList list = ListWorkloads(
      {{.workload = "", .response = *response}},
      {.causes = request_options.causes, .broken = request_options.broken});
  if (list.answers.empty()) {
    return Print(streams, FormatEach(list, {}, output, request_options));
  }
  const AnswerView view = MakeView(inputs->request, *std::move(response),
                                   inputs->ledger_source, answerer);
  return Print(streams, Format(view, output, request_options));
}

void AddAskFlags(CLI::App& command, AskFlags& flags) {
  CLI::Option* policy =
      AddOption(command, "--policy", flags.policies,
                "Policy file or directory; default: embedded", "PATH");
  AddServerFlags(command, flags.server);
  flags.server.server.clear();
  command.get_option("--server")
      ->default_str("")
      ->description("Server to ask; default: decides here")
      ->excludes(policy);
  AddOption(command, "--policy-name", flags.policy_name,
            "Policy to use; default: the first that matches", "NAME");
}

int Asker::Open(const AskFlags& flags, Streams& streams) {
  flags_ = &flags;
  if (flags.server.server.empty()) {
    return LoadValid(flags.policies, streams, policies_);
  }
  absl::StatusOr<std::unique_ptr<Client>> client = Connect(flags.server);
  if (!client.ok()) return Fail(streams, client.status());
  client_ = *std::move(client);
  return kExitOk;
}

absl::StatusOr<v1::DecideResponse> Asker::Ask(v1::DecideRequest request) const {
  if (!flags_->policy_name.empty()) request.set_policy(flags_->policy_name);
  if (client_ == nullptr) return DecideNow(request, *policies_.set);
  absl::StatusOr<v1::DecideResponse> response = client_->Decide(request);
  if (response.ok()) return response;
  return absl::Status(response.status().code(),
                      absl::StrCat(flags_->server.server, ": ",
                                   WhyNot(flags_->server, response.status())));
}

}  // namespace mulligan::cli
