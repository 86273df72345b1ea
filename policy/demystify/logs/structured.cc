#include "policy/demystify/logs/structured.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policy/demystify/logs/line_head.h"
#include "re2/re2.h"

namespace mulligan::demystify {
namespace {

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Adds the lines of a quoted text, which "\n" separates.
void AddLines(std::string_view text, std::vector<std::string_view>& lines) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    if (text[++i] != 'n') continue;
    lines.push_back(text.substr(begin, i - 1 - begin));
    begin = i + 1;
  }
  lines.push_back(text.substr(begin));
}

}  // namespace

bool IsStructured(std::string_view line) {
  static const RE2 kBegin(R"(\s*\{\s*"|(?:time|ts|t|level|msg)=\S)");
  constexpr std::string_view kBegins = " \t\r\f\v{tlm";
  if (line.empty() || kBegins.find(line.front()) == kBegins.npos) return false;
  re2::StringPiece rest = Piece(line);
  return RE2::Consume(&rest, kBegin);
}

Level LevelOf(std::string_view line) {
  static const RE2 kLevel(
      R"re((?i)(?:"@?(?:level|lvl|levelname|loglevel|log\.level|severity)"\s*:)re"
      R"re(\s*"?|)re"
      R"re(\b(?:level|lvl|severity)="?)(\w+))re");
  // Numbers are pino's: 50 is an error's.
  static const RE2 kBelow("(?i)trace|debug|info|notice|warn|warning|[1-4]0");
  re2::StringPiece level;
  if (!RE2::PartialMatch(Piece(line), kLevel, &level)) return Level::kNone;
  return RE2::FullMatch(level, kBelow) ? Level::kBelowError : Level::kError;
}

StructuredParts PartsOf(std::string_view line) {
  // A single word needs its key: "error":"EOF".
  static const RE2 kMessage(R"re((?:"[^"\\]+"\s*:\s*"|\b[\w.]+="))re"
                            R"re(((?:[^"\\ ]|\\.)* (?:[^"\\]|\\.)*))re");
  StructuredParts parts;
  std::size_t begin = 0;
  re2::StringPiece rest = Piece(line);
  re2::StringPiece message;
  while (RE2::FindAndConsume(&rest, kMessage, &message)) {
    const auto from = static_cast<std::size_t>(message.data() - line.data());
    parts.around.push_back(line.substr(begin, from - begin));
    AddLines({message.data(), message.size()}, parts.messages);
    begin = from + message.size();
  }
  parts.around.push_back(line.substr(begin));
  return parts;
}

std::string Unescaped(std::string_view part) {
  std::string text;
  text.reserve(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escapes = part[i] == '\\' && i + 1 < part.size();
    if (escapes) ++i;
    const bool blank = escapes && (part[i] == 't' || part[i] == 'r');
    text.push_back(blank ? ' ' : part[i]);
  }
  return text;
}

std::string MessagesIn(std::string_view line) {
  std::string text;
  for (const std::string_view part : PartsOf(line).messages) {
    // Skips a part that is only a time.
    if (HeadOf(part) == part.size()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n", Unescaped(part));
  }
  return text.empty() ? std::string(line) : text;
}

}  // namespace mulligan::demystify
