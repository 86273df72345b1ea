// Reads the records of decision logs on several threads.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
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

struct LogPosition {
  std::string file;
  std::size_t line = 0;

  bool operator<(const LogPosition& other) const {
    return file != other.file ? file < other.file : line < other.line;
  }
  // "decisions.jsonl:12".
  std::string Text() const;
};

// The first kMax values, by position.
template <typename Value>
class FirstOnes {
 public:
  static constexpr std::size_t kMax = 20;

  // Returns whether Add would keep a value at `place`.
  bool Wants(const LogPosition& place) const {
    return all_.size() < kMax || place < all_.rbegin()->first;
  }
  void Add(LogPosition place, Value value) {
    if (!Wants(place)) return;
    all_.insert_or_assign(std::move(place), std::move(value));
    if (all_.size() > kMax) all_.erase(std::prev(all_.end()));
  }
  FirstOnes& operator+=(const FirstOnes& other) {
    for (const auto& [place, value] : other.all_) Add(place, value);
    return *this;
  }
  const std::map<LogPosition, Value>& all() const { return all_; }

 private:
  std::map<LogPosition, Value> all_;
};

// One of `count` disjoint parts of all lines. `index` counts from 0, like the
// completion index of an Indexed Job.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool Has(std::size_t line) const { return line % count == index; }
};

struct ReadProgress {
  std::int64_t bytes_read = 0;
  // Of all files; 0 if unknown.
  std::int64_t bytes = 0;
  Count lines = 0;
};

struct ReadSettings {
  Shard shard;
  // Each line begins with the position to report for it, FILE<tab>LINE<tab>.
  // For lines of many files in one stream.
  bool placed = false;
  // Called now and then by the reading thread; may be empty.
  std::function<void(const ReadProgress&)> on_progress = nullptr;
};

// The limit of a command's --threads.
inline constexpr int kMaxThreads = 1024;

// Returns the number of threads; for 0, one per processor.
unsigned ThreadsFor(unsigned wanted);

// Receives the records of one thread.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // `record` has a request and a response. It and objects on `arena` are valid
  // only during the call.
  virtual void Take(const v1::DecisionRecord& record, const LogPosition& place,
                    google::protobuf::Arena& arena) = 0;
  // Takes a line that is not a DecisionRecord or cannot be read, and why.
  virtual void TakeBad(const LogPosition& place, std::string why) = 0;
};

// Fills `record` from a line of a decision log. Ignores fields of newer
// servers. INVALID_ARGUMENT says why the line is not a DecisionRecord.
// REQUIRES: `record` is empty.
absl::Status ReadRecord(std::string_view line, QuickReader& quick,
                        v1::DecisionRecord& record);

// Reads all `logs` and passes each line to one of `sinks`, with one thread per
// sink. Continues after bad lines and unreadable parts of files. Returns the
// number of lines.
Count ReadRecords(LogBlocks& logs, const ReadSettings& settings,
                  const std::vector<RecordSink*>& sinks);

// Shows progress on a terminal, as a line that is overwritten until it is
// wiped.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& out) : out_(out) {}

  // Returns a function that shows its argument a few times a second; empty if
  // standard error is not a terminal. The bar must outlive it.
  std::function<void(const ReadProgress&)> IfTerminal();
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;

  void Show(const ReadProgress& progress);

  std::ostream& out_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  bool drawn_ = false;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_LOG_READER_H_
