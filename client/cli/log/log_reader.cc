#include "client/cli/log/log_reader.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/numbers.h"
#include "client/cli/base/proto_json.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kWidth = 30;
constexpr char kWipe[] = "\x1b[K";

absl::Status ReadCarefully(std::string_view line, v1::DecisionRecord& record) {
  const absl::StatusOr<size_t> end = CheckJsonValue(line);
  if (!end.ok()) return end.status();
  if (const size_t rest = SkipJsonSpace(line, *end); rest < line.size()) {
    return Invalid("column %d: expected the end of the line after the record",
                   rest + 1);
  }
  if (TypeOfJson(line) != JsonType::kObject) {
    return Invalid("expected a DecisionRecord object");
  }
  return ParseProtoJson(line, record);
}

// Blocks between the reading thread and the deciding ones.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t most) : most_(most) {}

  void Put(LogBlock block) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return blocks_.size() < most_; });
    blocks_.push_back(std::move(block));
    ready_.notify_one();
  }

  void End() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    ready_.notify_all();
  }

  // Returns empty if there are no more blocks.
  std::optional<LogBlock> Take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return ended_ || !blocks_.empty(); });
    if (blocks_.empty()) return std::nullopt;
    LogBlock block = std::move(blocks_.front());
    blocks_.pop_front();
    room_.notify_one();
    return block;
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::deque<LogBlock> blocks_;  // guarded by mutex_
  bool ended_ = false;           // guarded by mutex_
};

// Removes FILE<tab>LINE<tab> from `line`. Returns whether it was there.
bool TakePlace(std::string_view& line, LogPosition& place) {
  const std::size_t file = line.find('\t');
  if (file == std::string_view::npos) return false;
  const char* const end = line.data() + line.size();
  const auto number = std::from_chars(line.data() + file + 1, end, place.line);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '\t') {
    return false;
  }
  place.file = line.substr(0, file);
  line = std::string_view(number.ptr + 1,
                          static_cast<std::size_t>(end - number.ptr - 1));
  return true;
}

// Splits blocks into lines for one sink.
class BlockReader {
 public:
  BlockReader(const std::vector<std::string>& files,
              const ReadSettings& settings, RecordSink& sink,
              std::atomic<Count>& lines)
      : files_(files), settings_(settings), sink_(sink), lines_(lines) {}

  void Read(const LogBlock& block) {
    std::string_view text = block.text;
    LogPosition place = {files_[block.file], block.first_line};
    for (; !text.empty(); ++place.line) {
      // Blank lines are skipped early: a file may have hundreds of millions.
      const bool blank = text.front() == '\n';
      const std::size_t end =
          blank ? 0 : std::min(text.find('\n'), text.size());
      if (!blank && settings_.shard.Has(place.line))
        ReadLine(text.substr(0, end), place);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    // The unreadable line belongs to one shard, too.
    if (!block.error.empty() && settings_.shard.Has(place.line)) {
      lines_.fetch_add(1, std::memory_order_relaxed);
      sink_.TakeBad(place, block.error);
    }
  }

 private:
  void ReadLine(std::string_view line, LogPosition place) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    lines_.fetch_add(1, std::memory_order_relaxed);
    if (settings_.placed && !TakePlace(line, place)) {
      return sink_.TakeBad(place, "expected FILE<tab>LINE<tab>RECORD");
    }
    using google::protobuf::Arena;
    arena_.Reset();
    auto& record = *Arena::CreateMessage<v1::DecisionRecord>(&arena_);
    if (absl::Status read = ReadRecord(line, reader_, record); !read.ok()) {
      return sink_.TakeBad(place, std::string(read.message()));
    }
    sink_.Take(record, place, arena_);
  }

  const std::vector<std::string>& files_;
  const ReadSettings& settings_;
  RecordSink& sink_;
  std::atomic<Count>& lines_;
  google::protobuf::Arena arena_;
  QuickReader reader_;
};

}  // namespace

absl::Status ReadRecord(std::string_view line, QuickReader& quick,
                        v1::DecisionRecord& record) {
  if (!quick.Read(line, record)) {
    absl::Status read = ReadCarefully(line, record);
    if (!read.ok()) return read;
  }
  if (record.has_request() && record.has_response()) return absl::OkStatus();
  return Invalid("is not a DecisionRecord: it has no request or no response");
}

std::string LogPosition::Text() const { return absl::StrCat(file, ":", line); }

unsigned ThreadsFor(unsigned wanted) {
  return wanted > 0 ? wanted
                    : std::max(1U, std::thread::hardware_concurrency());
}

Count ReadRecords(LogBlocks& logs, const ReadSettings& settings,
                  const std::vector<RecordSink*>& sinks) {
  BlockQueue queue(2 * sinks.size());
  std::atomic<Count> lines = 0;
  std::vector<std::thread> threads;
  threads.reserve(sinks.size());
  for (RecordSink* sink : sinks) {
    threads.emplace_back([&, sink] {
      BlockReader reader(logs.files(), settings, *sink, lines);
      while (const auto block = queue.Take()) reader.Read(*block);
    });
  }
  LogBlock block;
  while (logs.Next(block)) {
    queue.Put(std::move(block));
    if (settings.on_progress) {
      settings.on_progress({logs.bytes_read(), logs.bytes(), lines.load()});
    }
  }
  queue.End();
  for (std::thread& thread : threads) thread.join();
  return lines.load();
}

std::function<void(const ReadProgress&)> ProgressBar::IfTerminal() {
  if (isatty(STDERR_FILENO) == 0) return nullptr;
  return [this](const ReadProgress& progress) { Show(progress); };
}

void ProgressBar::Show(const ReadProgress& progress) {
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = static_cast<double>(progress.lines) / seconds;
  std::string line =
      absl::StrFormat("%s lines, %s a second", WithCommas(progress.lines),
                      WithCommas(static_cast<Count>(speed)));
  if (progress.bytes > 0 && progress.bytes_read > 0) {
    const double share =
        std::min(1.0, static_cast<double>(progress.bytes_read) /
                          static_cast<double>(progress.bytes));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    line = absl::StrFormat("[%s%s] %3.0f %%  %s, %.0f s left",
                           std::string(filled, '#'),
                           std::string(kWidth - filled, '.'), 100 * share, line,
                           seconds / share - seconds);
  }
  out_ << "\r" << line << kWipe << std::flush;
  drawn_ = true;
}

void ProgressBar::Wipe() {
  if (drawn_) out_ << "\r" << kWipe << std::flush;
}

}  // namespace mulligan::cli
