// Lines of structured loggers: one JSON object per line (zap, zerolog, pino,
// python-json-logger, Docker's files) or logfmt (logrus, slog).
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::demystify {

// Returns whether a structured logger may have written `line`.
bool IsStructured(std::string_view line);

// The level of such a line; kNone if it has none.
enum class Level { kNone, kBelowError, kError };
Level LevelOf(std::string_view line);

// The parts of such a line, still escaped; together they are the line.
struct StructuredParts {
  // Quoted texts, one part per line of text.
  std::vector<std::string_view> messages;
  // The text between them.
  std::vector<std::string_view> around;
};
StructuredParts PartsOf(std::string_view line);

// Returns a part without escapes.
std::string Unescaped(std::string_view part);

// Returns the quoted texts of such a line except times, as lines; the whole
// line if it has none.
std::string MessagesIn(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_
