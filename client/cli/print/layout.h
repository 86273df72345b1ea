// Text for a terminal: wrapping, hanging indents, colours.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_LAYOUT_H_
#define MULLIGAN_CLIENT_CLI_PRINT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// The width of a page, in columns.
inline constexpr size_t kPageWidth = 80;

enum class Style { kPlain, kBold, kDim, kGreen, kRed, kYellow };

// Breaks `text` at spaces into lines of at most `width` columns. A longer word,
// such as a path, gets its own line. Commands are never broken.
std::vector<std::string> WrapText(std::string_view text, size_t width);

// Returns `text` made printable and padded to `width` columns.
std::string Padded(std::string_view text, size_t width);

// Returns `text` made printable and cut to `width` columns: "a long na...".
std::string CutTo(std::string_view text, size_t width);

// Collects text of a given width. Makes all text printable, so that a
// container's output cannot control the terminal.
class Layout {
 public:
  Layout(size_t width, bool color) : width_(width), color_(color) {}

  void BlankLine() { text_.push_back('\n'); }
  // Adds one line and keeps its spaces.
  void Line(std::string_view line, Style style = Style::kPlain);
  // Adds `text` wrapped, each line after `indent` spaces.
  void Paragraph(size_t indent, std::string_view text,
                 Style style = Style::kPlain);
  // Adds `text` wrapped, the first line after `lead`, the others below its end.
  // Adds nothing if `text` is empty.
  void Hanging(std::string_view lead, std::string_view text,
               Style lead_style = Style::kPlain);

  size_t width() const { return width_; }
  const std::string& text() const { return text_; }

 private:
  void Append(std::string_view text, Style style);

  const size_t width_;
  const bool color_;
  std::string text_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_LAYOUT_H_
