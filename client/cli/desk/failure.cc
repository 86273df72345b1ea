#include "client/cli/desk/failure.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/report_builder.h"
#include "client/cli/print/workloads.h"
#include "client/cli/story/story.h"
#include "client/cli/suite/suite.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

// The names of the input in messages.
constexpr char kPasted[] = "the failure";
constexpr char kShown[] = "failure";
// The most workloads of a list that are decided.
constexpr std::size_t kMaxChoices = 200;

std::string Rfc3339(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", time, absl::UTCTimeZone());
}

// The request of a decision log's line, and when it was decided. Other text
// stays as it is, with `decided_at` empty.
struct Recorded {
  std::string text;
  std::string decided_at;
};

Recorded RequestOf(const std::string& text) {
  const absl::StatusOr<Documents> documents = SplitDocuments(kPasted, text);
  if (!documents.ok() || documents->json.size() != 1) return {text, ""};
  const std::string& json = documents->json[0];
  const std::string_view request = JsonMemberOf(json, "request");
  if (TypeOfJson(json) != JsonType::kObject ||
      TypeOfJson(request) != JsonType::kObject) {
    return {text, ""};
  }
  return {std::string(request),
          JsonStringValue(JsonMemberOf(json, "decidedAt"))};
}

absl::Status ToStruct(const google::protobuf::Message& message,
                      google::protobuf::Struct& object) {
  const absl::StatusOr<std::string> json = PrintCompactJson(message);
  if (!json.ok()) return json.status();
  if (google::protobuf::util::JsonStringToMessage(*json, &object).ok()) {
    return absl::OkStatus();
  }
  return Invalid("the failure is nested too deeply");
}

// Fills `shown`, `at` and `ledger_source` from the request.
absl::Status Show(v1::DecideRequest request, const std::string& decided_at,
                  Failure& failure) {
  failure.ledger_source = TakeAnnotatedLedger(request, failure.warnings);
  // The page chooses how it is answered.
  request.clear_explain();
  request.clear_compare_native();
  request.clear_request_id();
  v1::FailureReport& report = *request.mutable_report();
  const bool has_time = report.has_observed_at();
  const absl::Time observed = ToTime(report.observed_at());
  v1::DecideRequest alone;
  *alone.mutable_report() = report;
  const bool is_report_alone = alone.ByteSizeLong() == request.ByteSizeLong();
  absl::Status made = is_report_alone ? ToStruct(report, failure.shown)
                                      : ToStruct(request, failure.shown);
  if (!made.ok()) return made;
  absl::Time at = LatestTime({failure.shown});
  if (at == absl::InfinitePast()) at = absl::Now();
  if (has_time) at = observed;
  const bool is_decided_at = !has_time && !decided_at.empty();
  failure.at = is_decided_at ? decided_at : Rfc3339(at);
  return absl::OkStatus();
}

absl::StatusOr<v1::DecideResponse> Answer(const v1::DecideRequest& request,
                                          const PolicySet& policies,
                                          Watch& watch) {
  return DecideAt(request.report().observed_at(), request, policies,
                  {.watch = &watch});
}

// Returns the workloads with their verdicts, the worst first.
std::vector<WorkloadChoice> Choices(
    const std::vector<WorkloadReport>& workloads, const PolicySet& policies,
    Watch& watch) {
  std::vector<WorkloadAnswer> answers;
  for (const WorkloadReport& workload : workloads) {
    if (answers.size() == kMaxChoices) break;
    v1::DecideRequest request;
    *request.mutable_report() = workload.report;
    Failure asked;
    const absl::Status shown = Show(request, "", asked);
    absl::Time at = absl::Now();
    absl::ParseTime(absl::RFC3339_full, asked.at, &at, nullptr);
    SetTime(at, *request.mutable_report()->mutable_observed_at());
    TakeAnnotatedLedger(request, asked.warnings);
    answers.push_back({workload.group.Label(),
                       shown.ok() ? Answer(request, policies, watch)
                                  : absl::StatusOr<v1::DecideResponse>(shown)});
  }
  std::vector<WorkloadChoice> choices;
  const WorkloadList list = ListWorkloads(std::move(answers));
  for (const WorkloadAnswer& answer : list.answers) {
    choices.push_back({answer.workload, VerdictOf(answer)});
  }
  return choices;
}

}  // namespace

DeadlineWatch::DeadlineWatch(absl::Duration most)
    : begin_(absl::Now()), most_(most) {}

absl::Status DeadlineWatch::Check() {
  if (absl::Now() <= deadline()) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrFormat("took more than %s", absl::FormatDuration(most_)));
}

absl::Duration DeadlineWatch::Spent() { return absl::Now() - begin_; }

absl::StatusOr<Failure> ReadFailure(const Question& question,
                                    const PolicySet& policies, Watch& watch) {
  Recorded recorded = RequestOf(question.failure);
  ReportBuilder builder;
  absl::Status added = builder.Add(kPasted, std::move(recorded.text));
  if (!added.ok()) return added;
  Failure failure;
  failure.warnings = builder.warnings();
  const std::vector<WorkloadReport> workloads = builder.Workloads();
  absl::StatusOr<v1::DecideRequest> request = v1::DecideRequest();
  if (workloads.empty()) {
    request = builder.Build();
    if (!request.ok()) return request.status();
  } else {
    failure.choices = Choices(workloads, policies, watch);
    const auto is_chosen = [&](const WorkloadChoice& choice) {
      return choice.label == question.workload;
    };
    failure.workload = std::ranges::any_of(failure.choices, is_chosen)
                           ? question.workload
                           : failure.choices.front().label;
    const auto chosen = std::ranges::find_if(
        workloads, [&failure](const WorkloadReport& workload) {
          return workload.group.Label() == failure.workload;
        });
    *request->mutable_report() = chosen->report;
  }
  absl::Status shown = Show(*std::move(request), recorded.decided_at, failure);
  if (!shown.ok()) return shown;
  return failure;
}

absl::StatusOr<std::vector<AnsweredAttempt>> SimulateAttempts(
    const Question& question, const Failure& failure, const PolicySet& policies,
    Watch& watch) {
  const Fixtures fixtures = {{kShown, {failure.shown}}};
  Scene scene(fixtures);
  std::vector<AnsweredAttempt> attempts;
  for (int i = 0; i < question.times; ++i) {
    v1::PolicyTestStep step;
    step.set_fixture(kShown);
    if (attempts.empty()) {
      step.set_at(failure.at);
    } else {
      SetDuration(question.apart, *step.mutable_after());
    }
    absl::StatusOr<v1::DecideRequest> request =
        scene.Show(step, /*repeated=*/false);
    if (!request.ok()) return request.status();
    if (!attempts.empty()) {
      *request->mutable_ledger() = attempts.back().response.ledger();
    }
    request->set_explain(v1::DecideRequest::FULL);
    request->set_compare_native(true);
    absl::StatusOr<v1::DecideResponse> response =
        Answer(*request, policies, watch);
    if (!response.ok()) return response.status();
    attempts.push_back({*std::move(request), *std::move(response)});
  }
  return attempts;
}

}  // namespace mulligan::cli
