// The operational log: one line per event, on standard error.
#ifndef MULLIGAN_SERVER_OBSERVE_LOG_H_
#define MULLIGAN_SERVER_OBSERVE_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <variant>

namespace spdlog {
class logger;
namespace sinks {
class sink;
}  // namespace sinks
}  // namespace spdlog

namespace mulligan {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kJson, kText };

struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, double, bool> value;
};

// Writes lines with "time" (RFC 3339, UTC, microseconds), "level", "message"
// and the fields. spdlog's pattern does not escape JSON, so spdlog only
// transports the line. Thread-safe.
class Log {
 public:
  // Logs to standard error, each line flushed.
  Log(LogLevel level, LogFormat format);
  // Logs to a sink of the caller, such as a test's.
  Log(LogLevel level, LogFormat format,
      std::shared_ptr<spdlog::sinks::sink> sink);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool IsOn(LogLevel level) const { return level >= level_; }

  void Write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields = {}) const;

 private:
  const LogLevel level_;
  const LogFormat format_;
  const std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_LOG_H_
