#include "server/observe/decision_log.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/base/stable_hash.h"
#include "server/observe/decision_line.h"
#include "server/observe/log_file.h"
#include "server/observe/redaction.h"

namespace mulligan {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(2);
// How long a decision waits so that others can be written with it.
constexpr auto kGathering = std::chrono::milliseconds(100);
// If more bytes wait, they are written without that delay.
constexpr std::int64_t kManyBytes = 256 << 10;
// Bytes written together.
constexpr std::size_t kBlockBytes = 64 << 10;

// Nice value, 0 (usual) to 19: decisions take precedence.
constexpr int kNice = 5;

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

// Returns the sampling key: the workload or, if unknown, the failure.
std::string_view SampledBy(const v1::DecideResponse& response) {
  const std::string& uid = response.ledger().workload_uid();
  return uid.empty() ? std::string_view(response.failure_id()) : uid;
}

bool IsInSample(std::string_view key, double share) {
  if (share >= 1) return true;
  constexpr double kRange = 18446744073709551616.0;  // 2^64
  return static_cast<double>(StableHash().Add(key).value()) < share * kRange;
}

}  // namespace

// The queue and its thread.
class DecisionLog::Writer {
 public:
  Writer(const DecisionLogOptions& options, Redaction redaction, const Log& log)
      : log_(log),
        file_(options.path, options.max_file_bytes, options.files),
        redaction_(std::move(redaction)),
        bound_(options.queue_bytes) {
    if (const absl::Status opened = file_.Open(); !opened.ok()) {
      SetFailing(true, 0, opened);
    }
  }

  // Reserves `bytes` in the queue; returns whether there was room.
  bool TakeRoom(std::int64_t bytes) {
    if (queue_bytes_.fetch_add(bytes) + bytes <= bound_) return true;
    queue_bytes_.fetch_sub(bytes);
    queue_full_.fetch_add(1);
    return false;
  }

  void Push(LoggedDecision decision) {
    bool wake;
    {
      const std::lock_guard lock(mutex_);
      if (closing_) {
        queue_bytes_.fetch_sub(static_cast<std::int64_t>(decision.bytes()));
        queue_full_.fetch_add(1);
        return;
      }
      queue_.push_back(std::move(decision));
      wake = queue_bytes_.load() > kManyBytes;
    }
    if (wake) wake_.notify_one();
  }

  // The thread. Ends once closed and empty.
  void Run() {
    // On Linux the priority is the thread's own.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait_for(lock, kGathering, [this] {
        return closing_ || queue_bytes_.load() > kManyBytes;
      });
      const bool last = closing_;
      std::deque<LoggedDecision> taken = std::exchange(queue_, {});
      lock.unlock();
      WriteAll(taken);
      lock.lock();
      if (last) break;
    }
    ended_ = true;
    ended_signal_.notify_all();
  }

  // Returns whether the thread ended in time.
  bool Close(absl::Duration patience) {
    std::unique_lock lock(mutex_);
    closing_ = true;
    wake_.notify_one();
    const auto ended = [this] { return ended_; };
    if (ended_signal_.wait_for(lock, absl::ToChronoNanoseconds(patience),
                               ended)) {
      return true;
    }
    // Gives up on an unread pipe. A hanging disk keeps only the thread.
    abandoned_.store(true);
    file_.StopWaiting();
    return ended_signal_.wait_for(lock, 4 * kGathering, ended);
  }

  Counts counts() const {
    return {written_.load(),     queue_full_.load(),  write_failed_.load(),
            unprintable_.load(), queue_bytes_.load(), failing_.load()};
  }

 private:
  void WriteAll(std::deque<LoggedDecision>& decisions) {
    std::string block;
    std::int64_t lines = 0;
    for (; !decisions.empty(); decisions.pop_front()) {
      const LoggedDecision& decision = decisions.front();
      if (AppendDecisionLine(decision, replica_, redaction_, block)) {
        ++lines;
      } else {
        unprintable_.fetch_add(1);
      }
      queue_bytes_.fetch_sub(static_cast<std::int64_t>(decision.bytes()));
      if (block.size() < kBlockBytes && decisions.size() > 1) continue;
      WriteBlock(block, lines);
      block.clear();
      lines = 0;
    }
  }

  void WriteBlock(std::string_view block, std::int64_t lines) {
    if (lines == 0) return;
    const absl::Status written = file_.Append(block);
    (written.ok() ? written_ : write_failed_).fetch_add(lines);
    SetFailing(!written.ok(), lines, written);
  }

  // Logs when writing starts to fail and when it works again.
  void SetFailing(bool failing, std::int64_t lines, const absl::Status& why) {
    if (failing_.exchange(failing) == failing) return;
    // After it abandoned this thread, the caller may have destroyed the log.
    if (abandoned_.load()) return;
    if (!failing) {
      return log_.Write(LogLevel::kInfo, "decision log is written again",
                        {{"lines_lost", write_failed_.load()}});
    }
    const std::string text(why.message());
    log_.Write(LogLevel::kError, "decision log cannot be written",
               {{"error", std::string_view(text)}, {"lines_lost", lines}});
  }

  const Log& log_;
  LogFile file_;
  const Redaction redaction_;
  const std::int64_t bound_;
  const std::string replica_ = HostName();
  std::atomic<std::int64_t> queue_bytes_ = 0;
  std::atomic<std::int64_t> written_ = 0;
  std::atomic<std::int64_t> queue_full_ = 0;
  std::atomic<std::int64_t> write_failed_ = 0;
  std::atomic<std::int64_t> unprintable_ = 0;
  std::atomic<bool> failing_ = false;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable ended_signal_;
  std::deque<LoggedDecision> queue_;  // guarded by mutex_
  bool closing_ = false;              // guarded by mutex_
  bool ended_ = false;                // guarded by mutex_
};

absl::StatusOr<std::unique_ptr<DecisionLog>> DecisionLog::Start(
    const DecisionLogOptions& options, const Log& log) {
  absl::StatusOr<Redaction> redaction =
      Redaction::Of(*v1::DecisionRecord::descriptor(), options.redact);
  if (!redaction.ok()) return redaction.status();
  // A folder, unlike a missing file, will not become a file later.
  if (std::error_code none; std::filesystem::is_directory(options.path, none)) {
    return absl::UnavailableError(absl::StrFormat(
        "--decision-log: \"%s\" is a folder, expected a file", options.path));
  }
  auto writer = std::make_shared<Writer>(options, *std::move(redaction), log);
  // Detached, so that a hanging disk does not hold the process.
  std::thread([writer] { writer->Run(); }).detach();
  return std::unique_ptr<DecisionLog>(
      new DecisionLog(options, std::move(writer)));
}

DecisionLog::DecisionLog(const DecisionLogOptions& options,
                         std::shared_ptr<Writer> writer)
    : sample_(options.sample), writer_(std::move(writer)) {}

DecisionLog::~DecisionLog() {
  if (!closed_) Close(kPatience);
}

void DecisionLog::Add(const v1::DecideRequest& request,
                      const v1::DecideResponse& response,
                      const google::protobuf::Timestamp& now,
                      std::string_view traceparent) {
  if (request.purpose() == v1::DecideRequest::PREVIEW) return;
  if (!IsInSample(SampledBy(response), sample_)) return;
  LoggedDecision decision;
  decision.traceparent = traceparent;
  const std::size_t request_bytes = request.ByteSizeLong();
  const std::size_t response_bytes = response.ByteSizeLong();
  // First, so that a log that cannot keep up costs nothing else.
  if (!writer_->TakeRoom(static_cast<std::int64_t>(
          decision.bytes() + request_bytes + response_bytes))) {
    return;
  }
  decision.decided_at = now;
  decision.request.resize(request_bytes);
  request.SerializeWithCachedSizesToArray(
      reinterpret_cast<std::uint8_t*>(decision.request.data()));
  decision.response.resize(response_bytes);
  response.SerializeWithCachedSizesToArray(
      reinterpret_cast<std::uint8_t*>(decision.response.data()));
  writer_->Push(std::move(decision));
}

void DecisionLog::Close(absl::Duration patience) {
  closed_ = true;
  writer_->Close(patience);
}

DecisionLog::Counts DecisionLog::counts() const { return writer_->counts(); }

}  // namespace mulligan
