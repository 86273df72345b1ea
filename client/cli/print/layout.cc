#include "client/cli/print/layout.h"

#include <algorithm>

#include "client/cli/base/utf8.h"
#include "policy/base/visible.h"

namespace mulligan::cli {
namespace {

std::string_view EscapeCode(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\033[1m";
    case Style::kDim:
      return "\033[2m";
    case Style::kGreen:
      return "\033[1;32m";
    case Style::kRed:
      return "\033[1;31m";
    case Style::kYellow:
      return "\033[1;33m";
  }
  return "";
}

constexpr std::string_view kReset = "\033[0m";

}  // namespace

std::vector<std::string> WrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
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
  if (styled) text_ += EscapeCode(style);
  text_ += text;
  if (styled) text_ += kReset;
}

void Layout::Line(std::string_view line, Style style) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  text_.append(indent, ' ');
  // Columns are aligned with spaces, so runs of them have to stay.
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
