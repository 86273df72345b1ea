#include "client/cli/print/workload_table.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/base/yaml.h"
#include "client/cli/print/layout.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {
namespace {

using Situation = v1::Diagnosis;

bool IsBroken(const WorkloadAnswer& answer) {
  return answer.response.ok() &&
         answer.response->diagnosis().situation() == Situation::BROKEN;
}

// Of what is broken, the worst first.
constexpr v1::Decision::Action kWorstFirst[] = {
    v1::Decision::FAIL, v1::Decision::WAIT_FOR_SPEC_UPDATE, v1::Decision::RETRY,
    v1::Decision::WAIT};

int RankOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return -1;
  const v1::Diagnosis& diagnosis = answer.response->diagnosis();
  switch (static_cast<int>(diagnosis.situation())) {
    case Situation::HELD:
      return 10;
    case Situation::ALIVE:
      // A part of it died.
      return diagnosis.cause() == v1::NOT_FAILED ? 12 : 11;
    case Situation::FINISHED:
      return 13;
    default:
      return static_cast<int>(std::find(std::begin(kWorstFirst),
                                        std::end(kWorstFirst),
                                        answer.response->decision().action()) -
                              std::begin(kWorstFirst));
  }
}

Style StyleOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return Style::kRed;
  if (!IsBroken(answer)) return Style::kPlain;
  switch (static_cast<int>(answer.response->decision().action())) {
    case v1::Decision::FAIL:
      return Style::kRed;
    case v1::Decision::RETRY:
      return Style::kGreen;
    default:
      return Style::kYellow;
  }
}

std::string CauseOf(const WorkloadAnswer& answer) {
  return answer.response.ok()
             ? v1::Cause_Name(answer.response->diagnosis().cause())
             : std::string();
}

std::string WhyOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) {
    return std::string(answer.response.status().message());
  }
  return answer.headline.empty() ? answer.response->diagnosis().summary()
                                 : answer.headline;
}

}  // namespace

std::string VerdictOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return "no answer";
  if (answer.response->decision().action() == v1::Decision::IGNORE)
    return "nothing to do";
  return VerdictLine(answer.response->decision());
}

void SortWorstFirst(std::vector<WorkloadAnswer>& answers) {
  std::sort(answers.begin(), answers.end(),
            [](const WorkloadAnswer& a, const WorkloadAnswer& b) {
              return std::make_tuple(RankOf(a), std::cref(a.workload)) <
                     std::make_tuple(RankOf(b), std::cref(b.workload));
            });
}

std::string FormatWorkloads(const std::vector<WorkloadAnswer>& answers,
                            bool color, bool name_more) {
  std::size_t workload = sizeof("WORKLOAD") - 1;
  std::size_t verdict = sizeof("VERDICT") - 1;
  std::size_t cause = sizeof("CAUSE") - 1;
  std::ptrdiff_t broken = 0;
  for (const WorkloadAnswer& answer : answers) {
    workload = std::max(workload, DisplayWidth(Printable(answer.workload)));
    verdict = std::max(verdict, VerdictOf(answer).size());
    cause = std::max(cause, CauseOf(answer).size());
    broken += IsBroken(answer) ? 1 : 0;
  }
  Layout layout(/*width=*/0, color);
  layout.Line(
      absl::StrFormat("%d workloads, %d broken", answers.size(), broken),
      Style::kBold);
  layout.BlankLine();
  const auto line = [&](const std::string& name, const std::string& what,
                        const std::string& why, const std::string& because) {
    return absl::StrFormat("%-*s  %-*s  %-*s  %s", static_cast<int>(workload),
                           name, static_cast<int>(verdict), what,
                           static_cast<int>(cause), why, because);
  };
  layout.Line(line("WORKLOAD", "VERDICT", "CAUSE", "WHY"), Style::kDim);
  for (const WorkloadAnswer& answer : answers) {
    // Names and texts come from outside.
    layout.Line(line(Printable(answer.workload), VerdictOf(answer),
                     CauseOf(answer), Printable(WhyOf(answer))),
                StyleOf(answer));
  }
  layout.BlankLine();
  if (name_more) {
    layout.Line("One of them in full: --workload KIND/NAME", Style::kDim);
  }
  return layout.text();
}

absl::StatusOr<std::string> FormatWorkloadsAs(
    OutputFormat format, const std::vector<WorkloadAnswer>& answers) {
  std::string json = "[";
  for (const WorkloadAnswer& answer : answers) {
    if (json.size() > 1) json += ",";
    json += "\n{\"workload\":" + QuoteJson(answer.workload);
    if (answer.response.ok()) {
      absl::StatusOr<std::string> response = PrintCompactJson(*answer.response);
      if (!response.ok()) return response.status();
      json += ",\"response\":" + *response + "}";
    } else {
      const absl::Status& status = answer.response.status();
      json += ",\"error\":{\"code\":" +
              QuoteJson(absl::StatusCodeToString(status.code())) +
              ",\"message\":" + QuoteJson(std::string(status.message())) + "}}";
    }
  }
  json += "\n]\n";
  return format == OutputFormat::kYaml ? JsonToYaml(json) : json;
}

}  // namespace mulligan::cli
