#include "client/cli/print/layout.h"

#include <algorithm>

#include "client/cli/base/utf8.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

// In the order of Style.
constexpr std::string_view kEscapeCodes[] = {
    "", "\033[1m", "\033[2m", "\033[1;32m", "\033[1;31m", "\033[1;33m"};

constexpr std::string_view kReset = "\033[0m";

// The programs in suggested commands.
constexpr std::string_view kPrograms[] = {"kubectl ", "mulligan "};

// Returns the end of the first word of `text`, or of the command that it
// begins, which must stay on one line to be pasted. A command ends at a mark
// that a shell would not read as part of an unquoted word.
size_t EndOfWord(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of("(\"`"), text.size());
  const bool ticked = text.substr(0, begin).ends_with('`');
  const bool is_command =
      ticked || std::ranges::any_of(kPrograms, [&](std::string_view program) {
        return text.substr(begin).starts_with(program);
      });
  const std::string_view ends = ticked ? "`" : ";)`\"";
  bool quoted = false;
  size_t end = begin;
  while (is_command && end < text.size() &&
         (quoted || ends.find(text[end]) == ends.npos)) {
    if (text[end] == '\'') quoted = !quoted;
    if (text[end] == '\\' && !quoted) ++end;
    ++end;
  }
  return std::min(text.find(' ', end), text.size());
}

}  // namespace

std::vector<std::string> WrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t end = EndOfWord(text);
    const std::string_view word = text.substr(0, end);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (DisplayWidth(line) + 1 + DisplayWidth(word) <= width) {
      line.push_back(' ');
      line += word;
    } else {
      lines.emplace_back(word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void Layout::Append(std::string_view text, Style style) {
  const bool styled = color_ && style != Style::kPlain;
  if (styled) text_ += kEscapeCodes[static_cast<size_t>(style)];
  text_ += text;
  if (styled) text_ += kReset;
}

std::string Padded(std::string_view text, size_t width) {
  std::string padded = Printable(text);
  const size_t columns = DisplayWidth(padded);
  if (columns < width) padded.append(width - columns, ' ');
  return padded;
}

std::string CutTo(std::string_view text, size_t width) {
  std::string line = Printable(text);
  if (DisplayWidth(line) <= width) return line;
  // The next code point shows where the last one ends.
  size_t columns = 0;
  size_t end = 0;
  for (; end < line.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0) != 0x80;
    if (begins && ++columns > width - 3) break;
  }
  return line.substr(0, end) + "...";
}

void Layout::Line(std::string_view line, Style style) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  text_.append(indent, ' ');
  // Keeps runs of spaces, which align columns.
  Append(Visible(line.substr(indent)), style);
  text_.push_back('\n');
}

void Layout::Paragraph(size_t indent, std::string_view text, Style style) {
  for (const std::string& line : WrapText(Printable(text), width_ - indent)) {
    text_.append(indent, ' ');
    Append(line, style);
    text_.push_back('\n');
  }
}

void Layout::Hanging(std::string_view lead, std::string_view text,
                     Style lead_style) {
  const std::string clean = Printable(text);
  if (clean.empty()) return;
  const size_t indent = DisplayWidth(lead);
  bool first = true;
  for (const std::string& line : WrapText(clean, width_ - indent)) {
    if (first) {
      Append(Visible(lead), lead_style);
    } else {
      text_.append(indent, ' ');
    }
    first = false;
    text_ += line;
    text_.push_back('\n');
  }
}

}  // namespace mulligan::cli
