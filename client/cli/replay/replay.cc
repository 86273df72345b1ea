#include "client/cli/replay/replay.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/quick_reader.h"
#include "google/protobuf/arena.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/decide.h"

namespace mulligan::cli {
namespace {

absl::Status ReadCarefully(std::string_view line, v1::DecisionRecord& record) {
  const absl::StatusOr<size_t> end = CheckJsonValue(line);
  if (!end.ok()) return end.status();
  if (const size_t rest = SkipJsonSpace(line, *end); rest < line.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "column %d: expected the end of the line after the record", rest + 1));
  }
  if (TypeOfJson(line) != JsonType::kObject) {
    return absl::InvalidArgumentError("expected a DecisionRecord object");
  }
  return ParseProtoJson(line, record);
}

// Fills `record`, which must be empty, from a line of a decision log. Fields
// that a newer server wrote are ignored. INVALID_ARGUMENT says where the line
// is no DecisionRecord.
absl::Status ReadRecord(std::string_view line, QuickReader& quick,
                        v1::DecisionRecord& record) {
  if (!quick.Read(line, record)) {
    absl::Status read = ReadCarefully(line, record);
    if (!read.ok()) return read;
  }
  if (record.has_request() && record.has_response()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "is no DecisionRecord: it has no request or no response");
}

// Blocks between the thread that reads and those that decide.
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

  // Absent: there are no more.
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

// What one thread does.
class Replayer {
 public:
  Replayer(const std::vector<std::string>& files, const PolicySet& policies,
           const Shard& shard, std::atomic<Count>& lines)
      : files_(files), policies_(policies), shard_(shard), lines_(lines) {}

  void ReplayBlock(const LogBlock& block) {
    std::string_view text = block.text;
    LogPosition place = {files_[block.file], block.first_line};
    for (; !text.empty(); ++place.line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (shard_.Has(place.line)) ReplayLine(text.substr(0, end), place);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    // The line that cannot be read belongs to one shard, too.
    if (!block.error.empty() && shard_.Has(place.line)) {
      ++result_.lines;
      result_.AddBad(place, block.error);
    }
  }

  const ReplayResult& result() const { return result_; }

 private:
  void ReplayLine(std::string_view line, const LogPosition& place) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    ++result_.lines;
    lines_.fetch_add(1, std::memory_order_relaxed);
    using google::protobuf::Arena;
    arena_.Reset();
    auto& record = *Arena::CreateMessage<v1::DecisionRecord>(&arena_);
    if (absl::Status read = ReadRecord(line, reader_, record); !read.ok()) {
      return result_.AddBad(place, std::string(read.message()));
    }
    auto& response = *Arena::CreateMessage<v1::DecideResponse>(&arena_);
    const absl::Status decided =
        Decide(record.request(), policies_, record.decided_at(), response);
    result_.Add(record, place,
                decided.ok()
                    ? absl::StatusOr<const v1::DecideResponse*>(&response)
                    : decided);
  }

  const std::vector<std::string>& files_;
  const PolicySet& policies_;
  const Shard shard_;
  std::atomic<Count>& lines_;
  google::protobuf::Arena arena_;
  QuickReader reader_;
  ReplayResult result_;
};

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr unsigned kZlibBytes = 256U << 10;
// Of a line; memory must not grow with a file that has no line breaks.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 20;

std::int64_t SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace

ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    const ReplaySettings& settings) {
  BlockQueue queue(2 * std::size_t{settings.threads});
  std::atomic<Count> lines = 0;
  std::vector<std::unique_ptr<Replayer>> replayers;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < settings.threads; ++i) {
    auto& replayer = *replayers.emplace_back(std::make_unique<Replayer>(
        logs.files(), policies, settings.shard, lines));
    threads.emplace_back([&queue, &replayer] {
      while (const auto block = queue.Take()) replayer.ReplayBlock(*block);
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
  ReplayResult result;
  result.revision = policies.revision();
  for (const auto& replayer : replayers) result.Merge(replayer->result());
  return result;
}

absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path != "-" && !std::filesystem::exists(path, error)) {
      return absl::NotFoundError(absl::StrFormat(
          "%s: %s", path, error ? error.message() : std::strerror(ENOENT)));
    }
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file(error) && name.front() != '.') {
        inside.push_back(entry.path());
      }
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  std::set<std::string> seen;
  for (const std::string& file : files) {
    std::error_code error;
    const bool stream = file == "-";
    const std::string place =
        stream ? file : std::filesystem::canonical(file, error).string();
    if (!seen.insert(place).second) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: is named twice, expected each log once", file));
    }
  }
  return files;
}

LogBlocks::LogBlocks(std::vector<std::string> files)
    : files_(std::move(files)) {
  for (const std::string& file : files_) {
    if (file == "-") {
      bytes_ = 0;
      return;
    }
    bytes_ += SizeOf(file);
  }
}

LogBlocks::~LogBlocks() { Close(); }

std::int64_t LogBlocks::bytes_read() const {
  return bytes_before_ + (file_ == nullptr ? 0 : gzoffset(file_));
}

void LogBlocks::Close() {
  if (file_ == nullptr) return;
  gzclose(std::exchange(file_, nullptr));
  bytes_before_ += SizeOf(files_[next_file_ - 1]);
}

bool LogBlocks::Open(LogBlock& block) {
  const std::string& name = files_[next_file_++];
  line_ = 1;
  rest_.clear();
  errno = 0;
  file_ = name == "-" ? gzdopen(dup(STDIN_FILENO), "rb")
                      : gzopen(name.c_str(), "rb");
  if (file_ == nullptr) {
    block.error = std::strerror(errno);
    return false;
  }
  gzbuffer(file_, kZlibBytes);
  return true;
}

bool LogBlocks::Next(LogBlock& block) {
  while (true) {
    block = LogBlock();
    if (file_ == nullptr) {
      if (next_file_ == files_.size()) return false;
      block.file = next_file_;
      if (!Open(block)) return true;
    }
    block.file = next_file_ - 1;
    block.first_line = line_;
    Fill(block);
    if (!block.text.empty() || !block.error.empty()) return true;
  }
}

bool LogBlocks::Read(std::string& text, std::string& error) {
  const std::size_t start = text.size();
  text.resize(start + kBlockBytes);
  const int got = gzread(file_, text.data() + start, kBlockBytes);
  text.resize(start + static_cast<std::size_t>(std::max(got, 0)));
  if (got > 0) return true;
  int code = Z_OK;
  const char* why = gzerror(file_, &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    error = code == Z_ERRNO ? std::strerror(errno) : why;
  }
  Close();
  return false;
}

void LogBlocks::Fill(LogBlock& block) {
  std::string& text = block.text;
  text = std::exchange(rest_, std::string());
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  while (true) {
    end = std::string_view(text).substr(searched).rfind('\n');
    if (end != std::string::npos) break;
    if (text.size() > kMostLineBytes) return SkipLine(block);
    searched = text.size();
    if (!Read(text, block.error)) break;
  }
  if (end != std::string::npos) {
    rest_ = text.substr(searched + end + 1);
    text.resize(searched + end + 1);
  }
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void LogBlocks::SkipLine(LogBlock& block) {
  block.error =
      absl::StrFormat("a line is longer than %d bytes", kMostLineBytes);
  ++line_;
  std::size_t end = std::string::npos;
  do {
    block.text.clear();
    if (!Read(block.text, block.error)) return;
    end = block.text.find('\n');
  } while (end == std::string::npos);
  rest_ = block.text.substr(end + 1);
  block.text.clear();
}

}  // namespace mulligan::cli
