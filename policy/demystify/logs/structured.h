// Lines of structured loggers: an object of JSON a line (zap, zerolog, pino,
// python-json-logger, Docker's files) or logfmt (logrus, slog).
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::demystify {

// Whether a structured logger may have written `line`.
bool IsStructured(std::string_view line);

// At which level such a line was written. kNone: it does not say.
enum class Level { kNone, kBelowError, kError };
Level LevelOf(std::string_view line);

// The parts of such a line, with their escapes. All parts together are it.
struct StructuredParts {
  // What is said in quotes: a part for each line of it.
  std::vector<std::string_view> said;
  // What stands around it.
  std::vector<std::string_view> around;
};
StructuredParts PartsOf(std::string_view line);

// A part of such a line as it was said, without escapes.
std::string Unescaped(std::string_view part);

// What such a line says but for times, in lines; all of it where nothing is
// said in quotes.
std::string SaidIn(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_STRUCTURED_H_
