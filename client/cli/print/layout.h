// Lines for a terminal: wrapping, hanging indents, colours.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_LAYOUT_H_
#define MULLIGAN_CLIENT_CLI_PRINT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// Of a page of text, in columns.
inline constexpr size_t kPageWidth = 80;

enum class Style { kPlain, kBold, kDim, kGreen, kRed, kYellow };

// Breaks `text` at spaces into lines of at most `width` columns. A word that is
// longer, such as a path, gets a line of its own, and so does a command: one is
// never broken.
std::vector<std::string> WrapText(std::string_view text, size_t width);

// `text` made printable, with spaces up to `width` columns.
std::string Padded(std::string_view text, size_t width);

// `text` made printable, cut to `width` columns: "a long na...".
std::string CutTo(std::string_view text, size_t width);

// Collects text of a given width. All text is made printable first, so that
// what a container wrote cannot steer the terminal.
class Layout {
 public:
  Layout(size_t width, bool color) : width_(width), color_(color) {}

  void BlankLine() { text_.push_back('\n'); }
  // One line with its spaces.
  void Line(std::string_view line, Style style = Style::kPlain);
  // `text` wrapped, every line after `indent` spaces.
  void Paragraph(size_t indent, std::string_view text,
                 Style style = Style::kPlain);
  // `text` wrapped, the first line after `lead`, the others below its end.
  // Writes nothing when `text` is empty.
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
