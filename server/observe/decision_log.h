// The decision log: one line per decision, sufficient to replay it.
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

// Writes a mulligan.v1.DecisionRecord as a line of JSON for each decision, on
// its own thread. Problems of the log never affect decisions: lines that exceed
// the queue, or that a full or failing disk refuses, are dropped and counted.
// Thread-safe.
class DecisionLog {
 public:
  // INVALID_ARGUMENT if `options.redact` names an unknown field, UNAVAILABLE
  // for a folder. If a file cannot be opened, logs that and tries again with
  // every write. `log` must outlive the decision log.
  static absl::StatusOr<std::unique_ptr<DecisionLog>> Start(
      const DecisionLogOptions& options, const Log& log);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  // Copies a decision made at `now`, which replaces an absent
  // report.observed_at. Skips previews, which have no effect, and workloads
  // outside the sample, which has all decisions about a workload or none.
  void Add(const v1::DecideRequest& request, const v1::DecideResponse& response,
           const google::protobuf::Timestamp& now,
           std::string_view traceparent);

  // Writes all waiting decisions and ends the thread; drops the rest after
  // `patience`.
  // Later decisions are dropped and counted. Call once.
  void Close(absl::Duration patience);

  // Lines since the start, by outcome.
  struct Counts {
    std::int64_t written = 0;
    // The queue was full.
    std::int64_t queue_full = 0;
    // Writing to the file failed.
    std::int64_t write_failed = 0;
    // JSON cannot express them, such as a time after the year 9999.
    std::int64_t unprintable = 0;
    // Bytes that wait now.
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
  // Shared with its thread, which a hanging disk may hold forever.
  const std::shared_ptr<Writer> writer_;
  bool closed_ = false;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_DECISION_LOG_H_
