// Reads the records of decision logs on several threads.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/base/numbers.h"
#include "client/cli/input/quick_reader.h"
#include "client/cli/log/log_blocks.h"
#include "google/protobuf/arena.h"
#include "mulligan/v1/decision_record.pb.h"

namespace mulligan::cli {

// A place in a log.
struct LogPosition {
  std::string file;
  std::size_t line = 0;

  bool operator<(const LogPosition& other) const {
    return file != other.file ? file < other.file : line < other.line;
  }
  // "decisions.jsonl:12".
  std::string Text() const;
};

// The first of something, in the order of their places.
template <typename Value>
class FirstOnes {
 public:
  static constexpr std::size_t kMost = 20;

  // Whether Add would keep what is at `place`.
  bool Wants(const LogPosition& place) const {
    return all_.size() < kMost || place < all_.rbegin()->first;
  }
  void Add(LogPosition place, Value value) {
    if (!Wants(place)) return;
    all_.insert_or_assign(std::move(place), std::move(value));
    if (all_.size() > kMost) all_.erase(std::prev(all_.end()));
  }
  FirstOnes& operator+=(const FirstOnes& other) {
    for (const auto& [place, value] : other.all_) Add(place, value);
    return *this;
  }
  const std::map<LogPosition, Value>& all() const { return all_; }

 private:
  std::map<LogPosition, Value> all_;
};

// Of `count` shards, which together have every line once, number `index`, from
// 0: the completion index of an Indexed Job.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool Has(std::size_t line) const { return line % count == index; }
};

struct ReadProgress {
  std::int64_t bytes_read = 0;
  // Of all files; 0: not known.
  std::int64_t bytes = 0;
  Count lines = 0;
};

struct ReadSettings {
  Shard shard;
  // Each line begins with the place that is told of it, FILE<tab>LINE<tab>:
  // lines of many files that come one by one.
  bool placed = false;
  // Called from time to time by the thread that reads; may be empty.
  std::function<void(const ReadProgress&)> on_progress = nullptr;
};

// Of a command's --threads.
inline constexpr int kMostThreads = 1024;

// How many threads `wanted` means; 0: one for each processor.
unsigned ThreadsFor(unsigned wanted);

// What one thread makes of a log.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // `record` has a request and a response. It and what is made on `arena` end
  // with the call.
  virtual void Take(const v1::DecisionRecord& record, const LogPosition& place,
                    google::protobuf::Arena& arena) = 0;
  // A line that is no DecisionRecord, or cannot be read: why.
  virtual void TakeBad(const LogPosition& place, std::string why) = 0;
};

// Fills `record`, which must be empty, from a line of a decision log. Fields
// that a newer server wrote are ignored. INVALID_ARGUMENT says where the line
// is no DecisionRecord.
absl::Status ReadRecord(std::string_view line, QuickReader& quick,
                        v1::DecisionRecord& record);

// Reads all `logs` and hands each line to one of `sinks`, a thread each. A line
// that is no record stops nothing, nor does a file that cannot be read to its
// end. Returns how many lines there were.
Count ReadRecords(LogBlocks& logs, const ReadSettings& settings,
                  const std::vector<RecordSink*>& sinks);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_
