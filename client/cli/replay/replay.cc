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
#include "absl/strings/str_cat.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/story/wording.h"
#include "google/protobuf/arena.h"
#include "policy/compare.h"
#include "policy/decide.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

constexpr char kNoAnswer[] = "no answer";

std::string NameOf(v1::CandidateVerdict::Difference difference) {
  return Words(v1::CandidateVerdict::Difference_Name(difference));
}

// Returns the entry of `name` while there is room, else of kOtherNames.
template <typename Value>
Value& Bounded(std::map<std::string, Value>& by_name, const std::string& name) {
  const auto found = by_name.find(name);
  if (found != by_name.end()) return found->second;
  if (by_name.size() >= Tallies::kMaxNames) {
    return by_name[Tallies::kOtherNames];
  }
  return by_name[name];
}

std::string NameOfChange(
    const v1::DecideResponse& recorded, const v1::DecideResponse& replayed,
    const std::vector<v1::CandidateVerdict::Difference>& differences) {
  const auto action = recorded.decision().action();
  const auto other = replayed.decision().action();
  if (action != other) {
    return absl::StrCat(v1::Decision::Action_Name(action), " to ",
                        v1::Decision::Action_Name(other));
  }
  return NameOf(differences.front());
}

std::string DayOf(const google::protobuf::Timestamp& time) {
  return TimeText(time).substr(0, 10);
}

std::string NameOr(std::string_view name, const char* none) {
  return name.empty() ? none : std::string(name);
}

void AddCounts(const std::map<std::string, Count>& from,
               std::map<std::string, Count>& to) {
  for (const auto& [name, count] : from) Bounded(to, name) += count;
}

void AddTally(const Tally& from, Tally& to) {
  to.decisions += from.decisions;
  AddCounts(from.changes, to.changes);
}

// Returns the most important change: "RETRY to FAIL", "delay", "no answer".
// Empty if nothing would change.
std::string ChangeOf(const v1::DecideResponse& recorded,
                     const absl::StatusOr<const v1::DecideResponse*>& answer) {
  if (!answer.ok()) return kNoAnswer;
  const auto found = Differences(recorded, **answer);
  return found.empty() ? "" : NameOfChange(recorded, **answer, found);
}

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
  RowJson row = PlaceRow(place);
  row["decisionId"] = record.response().decision_id();
  row["workload"] = WorkloadLabel(report);
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

// Returns the answer of `policies` to a record.
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

Count Tally::changed() const {
  Count sum = 0;
  for (const auto& [change, count] : changes) sum += count;
  return sum;
}

Tally& Tallies::At(const std::string& name) { return Bounded(all_, name); }

void Tallies::Merge(const Tallies& other) {
  for (const auto& [name, tally] : other.all_) AddTally(tally, At(name));
}

void ReplayResult::Add(
    const v1::DecisionRecord& record, const LogPosition& place,
    const absl::StatusOr<const v1::DecideResponse*>& answer) {
  const v1::DecideResponse& recorded = record.response();
  const v1::FailureReport& report = record.request().report();
  Tally* const tallies[] = {
      &all, &by_cause.At(v1::Cause_Name(recorded.diagnosis().cause())),
      &by_policy.At(NameOr(recorded.policy().name(), "(none)")),
      &by_kind.At(NameOr(WorkloadKindOf(report), "(unknown)")),
      &by_day.At(DayOf(report.observed_at()))};
  for (Tally* tally : tallies) ++tally->decisions;
  ++Bounded(recorded_revisions, recorded.policy().revision());
  if (record.redacted_size() > 0) ++redacted;
  const auto charge = [this](const v1::Accounting& accounting,
                             Count Charges::*side) {
    if (accounting.units() == 0) return;
    Bounded(budgets, accounting.charged_to()).*side += accounting.units();
  };
  charge(recorded.accounting(), &Charges::recorded);

  std::vector<v1::CandidateVerdict::Difference> found = {
      v1::CandidateVerdict::NO_ANSWER};
  std::string change = kNoAnswer;
  if (answer.ok()) {
    charge((*answer)->accounting(), &Charges::replayed);
    found = Differences(recorded, **answer);
    if (found.empty()) return;
    change = NameOfChange(recorded, **answer, found);
  } else {
    ++no_answer;
  }
  for (const auto difference : found) ++differences[NameOf(difference)];
  for (Tally* tally : tallies) ++Bounded(tally->changes, change);
  if (!examples.Wants(place)) return;
  examples.Add(place, {recorded.decision_id(), WorkloadLabel(report),
                       std::move(change), recorded.decision().sentence(),
                       answer.ok() ? (*answer)->decision().sentence()
                                   : std::string(answer.status().message())});
}

void ReplayResult::AddBad(const LogPosition& place, std::string why) {
  ++bad_lines;
  bad.Add(place, std::move(why));
}

void ReplayResult::Merge(const ReplayResult& other) {
  if (revision.empty()) revision = other.revision;
  for (const auto& [logs, shards] : other.parts) {
    parts[logs].insert(shards.begin(), shards.end());
  }
  lines += other.lines;
  bad_lines += other.bad_lines;
  redacted += other.redacted;
  no_answer += other.no_answer;
  AddTally(other.all, all);
  AddCounts(other.differences, differences);
  by_cause.Merge(other.by_cause);
  by_policy.Merge(other.by_policy);
  by_kind.Merge(other.by_kind);
  by_day.Merge(other.by_day);
  for (const auto& [name, charges] : other.budgets) {
    Charges& sum = Bounded(budgets, name);
    sum.recorded += charges.recorded;
    sum.replayed += charges.replayed;
  }
  AddCounts(other.recorded_revisions, recorded_revisions);
  examples += other.examples;
  bad += other.bad;
}

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
