#include "server/grpc_log.h"

#include <grpc/support/log.h>

#include <atomic>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

// Read by gRPC's threads; set and cleared by GrpcLogRedirect.
std::atomic<const Log*> grpc_log = nullptr;

void WriteGrpcMessage(gpr_log_func_args* args) {
  const Log* log = grpc_log.load(std::memory_order_acquire);
  if (log == nullptr) return;
  LogLevel level = LogLevel::kDebug;
  if (args->severity == GPR_LOG_SEVERITY_ERROR) level = LogLevel::kError;
  const std::string source = absl::StrFormat("%s:%d", args->file, args->line);
  log->Write(level, args->message,
             {{"component", "grpc"}, {"source", std::string_view(source)}});
}

}  // namespace

GrpcLogRedirect::GrpcLogRedirect(const Log& log) {
  grpc_log.store(&log, std::memory_order_release);
  gpr_set_log_verbosity(log.IsOn(LogLevel::kDebug) ? GPR_LOG_SEVERITY_INFO
                                                   : GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(&WriteGrpcMessage);
}

GrpcLogRedirect::~GrpcLogRedirect() {
  gpr_set_log_function(nullptr);
  grpc_log.store(nullptr, std::memory_order_release);
}

}  // namespace mulligan
