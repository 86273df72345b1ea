#include "client/cli/replay/replay.h"

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/story/wording.h"
#include "google/protobuf/arena.h"
#include "policy/decide.h"
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

// The answer that `policies` give to a record.
absl::StatusOr<const v1::DecideResponse*> Again(
    const v1::DecisionRecord& record, const PolicySet& policies,
    google::protobuf::Arena& arena) {
  auto& response =
      *google::protobuf::Arena::CreateMessage<v1::DecideResponse>(&arena);
  const absl::Status decided =
      Decide(record.request(), policies, record.decided_at(), response);
  if (!decided.ok()) return decided;
  return &response;
}

// What one thread hands on of each line.
class RowMaker : public RecordSink {
 public:
  RowMaker(const PolicySet& policies,
           const std::function<void(const std::string&)>& take,
           std::mutex& taking)
      : policies_(policies), take_(take), taking_(taking) {}

  void Take(const v1::DecisionRecord& record, const LogPosition& place,
            google::protobuf::Arena& arena) override {
    Hand(ReplayRow(record, place, Again(record, policies_, arena)));
  }

  void TakeBad(const LogPosition& place, std::string why) override {
    Hand(BadRow(place, why));
  }

 private:
  void Hand(const std::string& row) {
    const std::lock_guard lock(taking_);
    take_(row);
  }

  const PolicySet& policies_;
  const std::function<void(const std::string&)>& take_;
  std::mutex& taking_;
};

// What one thread decides again.
class Replayer : public RecordSink {
 public:
  explicit Replayer(const PolicySet& policies) : policies_(policies) {}

  void Take(const v1::DecisionRecord& record, const LogPosition& place,
            google::protobuf::Arena& arena) override {
    result_.Add(record, place, Again(record, policies_, arena));
  }

  void TakeBad(const LogPosition& place, std::string why) override {
    result_.AddBad(place, std::move(why));
  }

  const ReplayResult& result() const { return result_; }

 private:
  const PolicySet& policies_;
  ReplayResult result_;
};

}  // namespace

ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    unsigned threads, const ReadSettings& settings) {
  std::vector<Replayer> replayers(threads, Replayer(policies));
  std::vector<RecordSink*> sinks;
  sinks.reserve(replayers.size());
  for (Replayer& replayer : replayers) sinks.push_back(&replayer);
  ReplayResult result;
  result.revision = policies.revision();
  result.lines = ReadRecords(logs, settings, sinks);
  for (const Replayer& replayer : replayers) result.Merge(replayer.result());
  return result;
}

void ReplayRows(LogBlocks& logs, const PolicySet& policies, unsigned threads,
                const ReadSettings& settings,
                const std::function<void(const std::string&)>& take) {
  std::mutex taking;
  std::vector<RowMaker> makers(threads, RowMaker(policies, take, taking));
  std::vector<RecordSink*> sinks;
  for (RowMaker& maker : makers) sinks.push_back(&maker);
  ReadRecords(logs, settings, sinks);
}

}  // namespace mulligan::cli
