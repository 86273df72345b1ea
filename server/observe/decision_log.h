// The decision log: a line for each decision, fit to be decided again.
#ifndef MULLIGAN_SERVER_OBSERVE_DECISION_LOG_H_
#define MULLIGAN_SERVER_OBSERVE_DECISION_LOG_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "server/observe/decision_log_options.h"
#include "server/observe/log.h"

namespace mulligan {

// Writes a mulligan.v1.DecisionRecord as one line of JSON for each decision,
// from a thread of its own. Nothing that happens to the log reaches a decision:
// what does not fit into the queue is dropped and counted, and so is what a
// full or failing disk does not take. Safe to share.
class DecisionLog {
 public:
  // INVALID_ARGUMENT when `options.redact` names no such field, UNAVAILABLE for
  // a folder. A file that cannot be opened is logged and tried again with every
  // write. `log` outlives the decision log.
  static absl::StatusOr<std::unique_ptr<DecisionLog>> Start(
      const DecisionLogOptions& options, const Log& log);
  // Closes it.
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  // Takes a copy of a decision made at `now`, which stands in for an absent
  // report.observed_at. Previews are left out:
  // nothing follows from them. So are workloads outside the sample, which takes
  // all decisions about a workload or none.
  void Add(const v1::DecideRequest& request, const v1::DecideResponse& response,
           const google::protobuf::Timestamp& now,
           std::string_view traceparent);

  // Writes what waits and ends the thread; after `patience` what is left is
  // dropped. Later decisions are dropped and counted. Call once.
  void Close(absl::Duration patience);

  // Lines since the start, by what became of them.
  struct Counts {
    std::int64_t written = 0;
    // There was no room in the queue.
    std::int64_t queue_full = 0;
    // They could not be written to the file.
    std::int64_t write_failed = 0;
    // They cannot be said in JSON, such as a time beyond the year 9999.
    std::int64_t unprintable = 0;
    // What waits now.
    std::int64_t queue_bytes = 0;
    // Whether the last write failed.
    bool failing = false;
  };
  Counts counts() const;

 private:
  class Writer;

  DecisionLog(const DecisionLogOptions& options,
              std::shared_ptr<Writer> writer);

  const double sample_;
  // Shared with its thread, which a disk that hangs may hold for ever.
  const std::shared_ptr<Writer> writer_;
  bool closed_ = false;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_DECISION_LOG_H_
