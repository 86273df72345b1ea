#include "server/observe/decision_line.h"

#include "google/protobuf/arena.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/base/message_json.h"

namespace mulligan {
namespace {

// Removes what replaying the request reproduces.
void DropReproducibleFields(v1::DecideResponse& response) {
  response.clear_ledger();
  response.clear_explanation();
  response.clear_native();
  response.mutable_diagnosis()->clear_evidence();
  response.mutable_diagnosis()->clear_cascades();
  response.mutable_diagnosis()->clear_considered();
  response.mutable_diagnosis()->clear_needed_evidence();
  response.mutable_accounting()->clear_budgets();
}

}  // namespace

bool AppendDecisionLine(const LoggedDecision& decision,
                        const std::string& replica, const Redaction& redaction,
                        std::string& lines) {
  google::protobuf::Arena arena;
  auto& record =
      *google::protobuf::Arena::CreateMessage<v1::DecisionRecord>(&arena);
  *record.mutable_decided_at() = decision.decided_at;
  record.set_replica(replica);
  record.set_traceparent(decision.traceparent);
  if (!record.mutable_request()->ParseFromString(decision.request) ||
      !record.mutable_response()->ParseFromString(decision.response)) {
    return false;
  }
  v1::FailureReport& report = *record.mutable_request()->mutable_report();
  if (!report.has_observed_at()) {
    *report.mutable_observed_at() = decision.decided_at;
  }
  DropReproducibleFields(*record.mutable_response());
  redaction.Apply(record);
  for (const std::string& path : redaction.paths()) record.add_redacted(path);
  const std::size_t start = lines.size();
  if (!AppendMessageJson(record, lines)) {
    lines.resize(start);
    return false;
  }
  lines += '\n';
  return true;
}

}  // namespace mulligan
