#include "client/cli/replay/replay.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/arena.h"
#include "policy/decide.h"

namespace mulligan::cli {
namespace {

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
