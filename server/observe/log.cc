#include "server/observe/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policy/base/message_json.h"
#include "server/observe/error_stream.h"
#include "server/observe/text.h"

namespace mulligan {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string Now() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(),
                          absl::UTCTimeZone());
}

std::string JsonLine(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) {
  JsonObject line;
  line.Add("time", std::string_view(Now()))
      .Add("level", LevelName(level))
      .Add("message", message);
  for (const LogField& field : fields) {
    std::visit([&](auto value) { line.Add(field.key, value); }, field.value);
  }
  return std::move(line).Finish();
}

// Quotes values as in JSON, so that a line stays a line.
std::string TextLine(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) {
  std::string line = absl::StrFormat("%s %-7s ", Now(), LevelName(level));
  // Without quotes, but with escaped line breaks.
  std::string quoted;
  AppendJsonString(message, quoted);
  line.append(quoted, 1, quoted.size() - 2);
  for (const LogField& field : fields) {
    absl::StrAppendFormat(&line, " %s=", field.key);
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      AppendJsonString(*text, line);
    } else if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      absl::StrAppendFormat(&line, "%d", *number);
    } else if (const auto* real = std::get_if<double>(&field.value)) {
      absl::StrAppendFormat(&line, "%g", *real);
    } else {
      line += std::get<bool>(field.value) ? "true" : "false";
    }
  }
  return line;
}

std::string Line(LogFormat format, LogLevel level, std::string_view message,
                 std::initializer_list<LogField> fields) {
  return format == LogFormat::kJson ? JsonLine(level, message, fields)
                                    : TextLine(level, message, fields);
}

}  // namespace

Log::Log(LogLevel level, LogFormat format)
    : Log(level, format, MakeErrorStream(STDERR_FILENO, [format](int lines) {
            return Line(
                format, LogLevel::kWarning,
                "log lines were dropped because standard error was not read",
                {{"lines", std::int64_t{lines}}});
          })) {}

Log::Log(LogLevel level, LogFormat format,
         std::shared_ptr<spdlog::sinks::sink> sink)
    : level_(level),
      format_(format),
      logger_(std::make_unique<spdlog::logger>("mulligan", std::move(sink))) {
  logger_->set_pattern("%v");
  logger_->set_level(spdlog::level::trace);
  logger_->flush_on(spdlog::level::trace);
}

Log::~Log() = default;

void Log::Write(LogLevel level, std::string_view message,
                std::initializer_list<LogField> fields) const {
  if (!IsOn(level)) return;
  const std::string line = Line(format_, level, message, fields);
  logger_->log(spdlog::level::info, spdlog::string_view_t(line));
}

}  // namespace mulligan
