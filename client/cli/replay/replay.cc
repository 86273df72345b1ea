#include "client/cli/replay/replay.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/arena.h"
#include "policy/decide.h"

namespace mulligan::cli {
namespace {

// What one thread decides again.
class Replayer : public RecordSink {
 public:
  explicit Replayer(const PolicySet& policies) : policies_(policies) {}

  void Take(const v1::DecisionRecord& record, const LogPosition& place,
            google::protobuf::Arena& arena) override {
    auto& response =
        *google::protobuf::Arena::CreateMessage<v1::DecideResponse>(&arena);
    const absl::Status decided =
        Decide(record.request(), policies_, record.decided_at(), response);
    result_.Add(record, place,
                decided.ok()
                    ? absl::StatusOr<const v1::DecideResponse*>(&response)
                    : decided);
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

}  // namespace mulligan::cli
