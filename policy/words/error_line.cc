#include "policy/words/error_line.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "policy/base/utf8.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/logs/line_head.h"
#include "policy/demystify/logs/structured.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/signatures/matching/text_table.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Removes a rank such as "[rank3]: ", time and level from the start of a line;
// klog writes "E0822 11:58:00.123456       1 main.go:42]".
std::string_view WithoutHead(std::string_view line) {
  static const RE2 kMark(
      R"(^(?:\s+|\[\w+\]:|[EF]\d{4} [\d:.]+ +\d+ [^\]\s]+\]|)"
      R"(\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\]?(?:[: ]|$)))");
  while (true) {
    line.remove_prefix(demystify::HeadOf(line));
    re2::StringPiece rest = Piece(line);
    if (rest.empty() || !RE2::Consume(&rest, kMark)) return line;
    line = {rest.data(), rest.size()};
  }
}

// REQUIRES: `line` has no prefix from a log collector.
bool ReportsError(std::string_view line) {
  static const RE2 kError(
      R"(^(?:\s*\[\w+\]: ?)?(?:[\w.$]+(?:Error|Exception|Interrupt|Exit))"
      R"((?::|\s*$)|(?i:(?:fatal )?error|panic|fatal): )|)"
      R"(\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|^Exception in thread |)"
      R"(^thread '.*' panicked at)");
  return RE2::PartialMatch(Piece(line), kError);
}

std::string Shortened(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
    line.remove_suffix(1);
  }
  if (line.size() <= kMaxExcerpt) return std::string(line);
  const std::size_t space = line.substr(0, kMaxExcerpt).rfind(' ');
  const std::size_t end =
      space == line.npos ? Utf8Boundary(line, kMaxExcerpt) : space;
  return std::string(line.substr(0, end)) + " ...";
}

// Appends the next line to one that ends in a colon: "Missing input files:".
std::string WithNext(std::string_view line, std::string_view rest) {
  std::string whole(
      absl::StripTrailingAsciiWhitespace({line.data(), line.size()}));
  if (!whole.ends_with(":")) return whole;
  while (!rest.empty() && (rest.front() == '\n' || rest.front() == '\r')) {
    rest.remove_prefix(1);
  }
  const std::string_view next = rest.substr(0, rest.find('\n'));
  const std::string text(
      absl::StripAsciiWhitespace({next.data(), next.size()}));
  return text.empty() ? whole : whole + " " + text;
}

// Returns the searched end of a log, in whole lines.
std::string_view TailOf(std::string_view log) {
  if (log.size() <= demystify::kScannedTail) return log;
  const std::string_view end = log.substr(log.size() - demystify::kScannedTail);
  const std::size_t line = end.find('\n');
  return line == end.npos ? end : end.substr(line + 1);
}

// Returns whether the line only surrounds an error: a frame of a traceback, or
// the usage of the program.
bool IsErrorContext(std::string_view line) {
  static const RE2 kAround(R"(\s*(?:File "|raise |at |[Uu]sage: ))");
  re2::StringPiece rest = Piece(line);
  return RE2::Consume(&rest, kAround);
}

// Returns the message in a line.
std::string MessageInLine(std::string_view line) {
  line = WithoutHead(line);
  if (!demystify::IsStructured(line)) return Shortened(line);
  // Joins the first lines of message and error: "no database: refused by x".
  std::string message = demystify::MessagesIn(line);
  const std::size_t end = message.find('\n');
  if (end != message.npos) message.replace(end, 1, ": ");
  return FirstLine(message);
}

// Returns whether the fact is program output, even if an operator quotes it.
bool IsOfProgram(const demystify::Candidate& fact) {
  const demystify::Place& place = fact.place;
  const std::string_view leaf = place.leaf;
  switch (place.root) {
    case demystify::Root::kPods:
      return leaf.ends_with("erminated.message");
    case demystify::Root::kExit:
      return leaf == ".message";
    case demystify::Root::kOwner:
      return IsOwnersMessage(place);
    default:
      return false;
  }
}

}  // namespace

std::string_view LogOf(const v1::FailureReport& report,
                       const Culprit& culprit) {
  if (culprit.index < 0) return report.exit().message();
  const auto& pod = report.pods(culprit.index).status();
  for (const auto* statuses :
       {&pod.container_statuses(), &pod.init_container_statuses()}) {
    for (const auto& status : *statuses) {
      if (status.name() != culprit.container) continue;
      const std::string& now = status.state().terminated().message();
      const auto& before = status.last_state().terminated();
      if (!now.empty() || demystify::IsInPlaceRestart(before)) return now;
      return before.message();
    }
  }
  return report.exit().message();
}

std::string FirstLine(std::string_view text) {
  return Shortened(text.substr(0, text.find('\n')));
}

std::string LastErrorLine(std::string_view log) {
  std::size_t end = log.size();
  while (end > 0) {
    const std::size_t before = log.rfind('\n', end - 1);
    const std::size_t begin = before == log.npos ? 0 : before + 1;
    std::string_view line = log.substr(begin, end - begin);
    line.remove_prefix(demystify::HeadOf(line));
    if (demystify::IsStructured(line)) {
      const std::string message = demystify::MessagesIn(line);
      std::string error = message == line ? "" : LastErrorLine(message);
      if (!error.empty()) return error;
    } else if (ReportsError(line)) {
      return Shortened(WithNext(WithoutHead(line), log.substr(end)));
    }
    if (begin == 0) break;
    end = begin - 1;
  }
  return "";
}

std::string LastLine(std::string_view log) {
  const std::string_view text =
      log.substr(0, log.find_last_not_of(" \t\r\n") + 1);
  std::string_view last;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t begin = rest.rfind('\n') + 1;
    const std::string_view line = WithoutHead(rest.substr(begin));
    if (last.empty()) last = line;
    if (demystify::IsStructured(line) &&
        demystify::LevelOf(line) == demystify::Level::kError) {
      return MessageInLine(line);
    }
    rest = rest.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return MessageInLine(last);
}

std::string ErrorLineOf(const Answered& answered) {
  const v1::Cause cause = answered.failure.cause;
  if (!HasHistory(cause, kInWords)) return "";
  const demystify::Candidate* first = answered.naming();
  // As shown, without the text around it.
  std::string message;
  const bool own = first != nullptr && IsOfProgram(*first);
  if (own) message = answered.diagnosis.evidence(0).value();
  // A text that names a cause other than APP_ERROR explains itself. For
  // APP_ERROR the program's last line says more.
  const bool says_why = own && cause != v1::APP_ERROR &&
                        WeightOf(*first) == v1::Evidence::MESSAGE &&
                        !IsErrorContext(message);
  if (own && !message.ends_with(":") && (says_why || ReportsError(message))) {
    return MessageInLine(message);
  }
  const std::string_view log =
      TailOf(LogOf(answered.report(), answered.failure.culprit));
  std::string line = LastErrorLine(log);
  if (!line.empty()) return line;
  // Not in the form of an error, but it decided.
  if (own && WeightOf(*first) != v1::Evidence::EXIT_CODE &&
      !message.starts_with("Traceback ")) {
    return MessageInLine(message);
  }
  // An unknown message is still the best there is.
  return LastLine(log);
}

}  // namespace mulligan::words
