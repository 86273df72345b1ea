#include "client/cli/print/workloads.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/print/human.h"
#include "client/cli/print/layout.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {
namespace {

using Situation = v1::Diagnosis;

// Broken workloads, the worst first.
constexpr v1::Decision::Action kWorstFirst[] = {
    v1::Decision::FAIL, v1::Decision::WAIT_FOR_SPEC_UPDATE, v1::Decision::RETRY,
    v1::Decision::WAIT};

int RankOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return -1;
  const v1::Diagnosis& diagnosis = answer.response->diagnosis();
  if (IsBroken(answer)) {
    return static_cast<int>(
        std::ranges::find(kWorstFirst, answer.response->decision().action()) -
        std::begin(kWorstFirst));
  }
  switch (static_cast<int>(diagnosis.situation())) {
    case Situation::HELD:
      return 10;
    case Situation::ALIVE:
      // A part of it died.
      return diagnosis.cause() == v1::NOT_FAILED ? 12 : 11;
    default:
      return 13;
  }
}

Style StyleOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return Style::kRed;
  if (!IsBroken(answer)) return Style::kPlain;
  const VerdictLook look = LookOf(answer.response->decision().action());
  return look.html_class.empty() ? Style::kYellow : look.style;
}

constexpr std::size_t kMaxCauses = 8;

// Counts of the broken ones, the most frequent cause first.
std::string CountsOf(const std::vector<WorkloadAnswer>& answers) {
  std::map<std::string, int> causes;
  int broken = 0;
  for (const WorkloadAnswer& answer : answers) {
    if (answer.response.ok() && !IsBroken(answer)) continue;
    ++broken;
    ++causes[answer.response.ok() ? CauseNameOf(answer) : "without an answer"];
  }
  std::vector<std::pair<std::string, int>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, std::greater(),
                           &std::pair<std::string, int>::second);
  std::string text = absl::StrFormat("%d workload%s, %d broken", answers.size(),
                                     answers.size() == 1 ? "" : "s", broken);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    text += i == 0 ? ": " : ", ";
    if (i == kMaxCauses) return text + "...";
    absl::StrAppendFormat(&text, "%d %s", sorted[i].second, sorted[i].first);
  }
  return text;
}

}  // namespace

VerdictLook LookOf(v1::Decision::Action action) {
  switch (static_cast<int>(action)) {
    case v1::Decision::RETRY:
      return {Style::kGreen, "retry"};
    case v1::Decision::FAIL:
      return {Style::kRed, "fail"};
    case v1::Decision::WAIT:
    case v1::Decision::WAIT_FOR_SPEC_UPDATE:
      return {Style::kYellow, "wait"};
    default:
      return {};
  }
}

WorkloadList ListWorkloads(std::vector<WorkloadAnswer> answers,
                           const WorkloadFilter& filter) {
  WorkloadList list;
  list.counts = CountsOf(answers);
  std::erase_if(answers, [&filter](const WorkloadAnswer& answer) {
    const bool is_told =
        !filter.broken || !answer.response.ok() || IsBroken(answer);
    const bool is_meant =
        filter.causes.empty() ||
        std::ranges::find(filter.causes, CauseNameOf(answer)) !=
            filter.causes.end();
    return !is_told || !is_meant;
  });
  std::ranges::sort(answers,
                    [](const WorkloadAnswer& a, const WorkloadAnswer& b) {
                      return std::make_tuple(RankOf(a), std::cref(a.workload)) <
                             std::make_tuple(RankOf(b), std::cref(b.workload));
                    });
  list.answers = std::move(answers);
  return list;
}

bool IsBroken(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return false;
  const v1::Decision::Action action = answer.response->decision().action();
  const auto situation = answer.response->diagnosis().situation();
  return situation == Situation::BROKEN ||
         (situation == Situation::ALIVE && action != v1::Decision::IGNORE &&
          action != v1::Decision::WAIT);
}

std::string VerdictOf(const WorkloadAnswer& answer) {
  if (!answer.response.ok()) return "no answer";
  if (answer.response->decision().action() == v1::Decision::IGNORE)
    return "nothing to do";
  return VerdictLine(answer.response->decision());
}

std::string CauseNameOf(const WorkloadAnswer& answer) {
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

std::string FormatWorkloads(const WorkloadList& list, bool color,
                            std::string_view name_one) {
  std::size_t workload = sizeof("WORKLOAD") - 1;
  std::size_t verdict = sizeof("VERDICT") - 1;
  std::size_t cause = sizeof("CAUSE") - 1;
  for (const WorkloadAnswer& answer : list.answers) {
    workload = std::max(workload, DisplayWidth(Printable(answer.workload)));
    verdict = std::max(verdict, VerdictOf(answer).size());
    cause = std::max(cause, CauseNameOf(answer).size());
  }
  Layout layout(/*width=*/0, color);
  layout.Line(list.counts, Style::kBold);
  layout.BlankLine();
  if (list.answers.empty()) {
    layout.Line("None of them is as asked for.");
    return layout.text();
  }
  const auto line = [&](const std::string& name, const std::string& what,
                        const std::string& why, const std::string& because) {
    return absl::StrFormat("%-*s  %-*s  %-*s  %s", static_cast<int>(workload),
                           name, static_cast<int>(verdict), what,
                           static_cast<int>(cause), why, because);
  };
  layout.Line(line("WORKLOAD", "VERDICT", "CAUSE", "WHY"), Style::kDim);
  for (const WorkloadAnswer& answer : list.answers) {
    // Names and texts come from outside.
    layout.Line(line(Printable(answer.workload), VerdictOf(answer),
                     CauseNameOf(answer), Printable(WhyOf(answer))),
                StyleOf(answer));
  }
  layout.BlankLine();
  if (!name_one.empty()) {
    layout.Line(absl::StrFormat("One of them in full: %s", Printable(name_one)),
                Style::kDim);
  }
  return layout.text();
}

absl::StatusOr<std::string> FormatWorkloadsAs(OutputFormat format,
                                              const WorkloadList& list) {
  std::string json = "[";
  for (const WorkloadAnswer& answer : list.answers) {
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
