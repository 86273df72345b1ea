// A verdict a line, for tables.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "client/cli/input/workload_groups.h"
#include "client/cli/replay/replay.h"
#include "client/cli/story/wording.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

using RowJson = nlohmann::ordered_json;

RowJson PlaceRow(const LogPosition& place) {
  return {{"file", place.file}, {"line", place.line}};
}

std::string RowLine(const RowJson& row) {
  // Names come from outside and may be any bytes.
  return row.dump(-1, ' ', false, RowJson::error_handler_t::replace) + "\n";
}

struct SideNames {
  const char* cause;
  const char* action;
  const char* budget;
  const char* sentence;
};

void AddSide(const v1::DecideResponse& response, const SideNames& names,
             RowJson& row) {
  row[names.cause] = v1::Cause_Name(response.diagnosis().cause());
  row[names.action] = v1::Decision::Action_Name(response.decision().action());
  row[names.budget] = response.accounting().charged_to();
  row[names.sentence] = response.decision().sentence();
}

}  // namespace

std::string ReplayRow(const v1::DecisionRecord& record,
                      const LogPosition& place,
                      const absl::StatusOr<const v1::DecideResponse*>& answer) {
  const v1::FailureReport& report = record.request().report();
  const v1::WorkloadReference workload = WorkloadOf(report);
  RowJson row = PlaceRow(place);
  row["decisionId"] = record.response().decision_id();
  row["workload"] =
      WorkloadLabel(workload.kind(), workload.namespace_(), workload.name());
  row["failureId"] = record.response().failure_id();
  row["observedAt"] = TimeText(report.observed_at());
  AddSide(record.response(), {"cause", "action", "budget", "sentence"}, row);
  if (answer.ok()) {
    AddSide(**answer,
            {"replayedCause", "replayedAction", "replayedBudget",
             "replayedSentence"},
            row);
  } else {
    row["error"] = std::string(answer.status().message());
  }
  row["change"] = ChangeOf(record.response(), answer);
  return RowLine(row);
}

std::string BadRow(const LogPosition& place, std::string_view why) {
  RowJson row = PlaceRow(place);
  row["error"] = why;
  return RowLine(row);
}

}  // namespace mulligan::cli
