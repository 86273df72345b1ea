#include "server/observe/library_logs.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"
#include "server/observe/text.h"

namespace mulligan {
namespace {

// Read by gRPC's threads; set and cleared by LibraryLogRedirect.
std::atomic<const Log*> library_log = nullptr;

// Callers can cause gRPC's log messages and choose their text.
constexpr std::size_t kMaxMessageBytes = 300;
constexpr int kMaxLinesPerSecond = 10;

// Limits lines of all threads together.
class LineLimit {
 public:
  // Returns how many lines were dropped before; empty if this one is too.
  std::optional<std::int64_t> Admit() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - second_ > std::chrono::seconds(1)) {
      second_ = now;
      lines_ = 0;
    }
    if (lines_ >= kMaxLinesPerSecond) {
      ++left_out_;
      return std::nullopt;
    }
    ++lines_;
    return std::exchange(left_out_, 0);
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point second_;
  int lines_ = 0;
  std::int64_t left_out_ = 0;
};

void WriteGrpcMessage(gpr_log_func_args* args) {
  static LineLimit limit;
  const Log* log = library_log.load(std::memory_order_acquire);
  if (log == nullptr) return;
  LogLevel level = LogLevel::kDebug;
  if (args->severity == GPR_LOG_SEVERITY_ERROR) level = LogLevel::kError;
  if (!log->IsOn(level)) return;
  const std::optional<std::int64_t> left_out = limit.Admit();
  if (!left_out.has_value()) return;
  const std::string source = absl::StrFormat("%s:%d", args->file, args->line);
  const std::string message =
      Truncate(SanitizeUtf8(args->message), kMaxMessageBytes);
  log->Write(level, message,
             {{"component", "grpc"},
              {"source", std::string_view(source)},
              {"lines_left_out_before", *left_out}});
}

// Callers can cause these, so they are for debugging only.
void WriteProtobufMessage(google::protobuf::LogLevel, const char* file,
                          int line, const std::string& message) {
  const Log* log = library_log.load(std::memory_order_acquire);
  if (log == nullptr) return;
  const std::string source = absl::StrFormat("%s:%d", file, line);
  log->Write(LogLevel::kDebug, message,
             {{"component", "protobuf"}, {"source", std::string_view(source)}});
}

}  // namespace

LibraryLogRedirect::LibraryLogRedirect(const Log& log) {
  library_log.store(&log, std::memory_order_release);
  gpr_set_log_verbosity(log.IsOn(LogLevel::kDebug) ? GPR_LOG_SEVERITY_INFO
                                                   : GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(&WriteGrpcMessage);
  google::protobuf::SetLogHandler(&WriteProtobufMessage);
}

LibraryLogRedirect::~LibraryLogRedirect() {
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_function(nullptr);
  library_log.store(nullptr, std::memory_order_release);
}

}  // namespace mulligan
