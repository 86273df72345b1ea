#include "server/library_logs.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <atomic>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

// Read by gRPC's threads; set and cleared by LibraryLogRedirect.
std::atomic<const Log*> library_log = nullptr;

void WriteGrpcMessage(gpr_log_func_args* args) {
  const Log* log = library_log.load(std::memory_order_acquire);
  if (log == nullptr) return;
  LogLevel level = LogLevel::kDebug;
  if (args->severity == GPR_LOG_SEVERITY_ERROR) level = LogLevel::kError;
  const std::string source = absl::StrFormat("%s:%d", args->file, args->line);
  log->Write(level, args->message,
             {{"component", "grpc"}, {"source", std::string_view(source)}});
}

// What callers send can cause these, so they are for debugging only.
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
