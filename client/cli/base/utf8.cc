#include "client/cli/base/utf8.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

enum class Surrogate { kNone, kHigh, kLow };

// Returns which half of a surrogate pair the escape at `at` is, if any.
Surrogate SurrogateEscape(std::string_view text, size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u' ||
      (text[at + 2] | 0x20) != 'd') {
    return Surrogate::kNone;
  }
  const char third = text[at + 3];
  if (std::string_view("89abAB").find(third) != std::string_view::npos) {
    return Surrogate::kHigh;
  }
  return std::string_view("cdefCDEF").find(third) != std::string_view::npos
             ? Surrogate::kLow
             : Surrogate::kNone;
}

bool ReplaceLoneSurrogates(std::string& json) {
  std::string repaired;
  size_t copied = 0;
  size_t at = json.find('\\');
  while (at < json.size()) {
    const Surrogate kind = SurrogateEscape(json, at);
    if (kind == Surrogate::kNone) {
      at += 2;
    } else if (kind == Surrogate::kHigh &&
               SurrogateEscape(json, at + 6) == Surrogate::kLow) {
      at += 12;
    } else {
      repaired.append(json, copied, at - copied);
      repaired += kReplacement;
      at += 6;
      copied = at;
    }
    at = json.find('\\', at);
  }
  if (copied == 0) return false;
  repaired.append(json, copied);
  json = std::move(repaired);
  return true;
}

}  // namespace

void AppendUtf8(uint32_t code_point, std::string& text) {
  if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000)) {
    text += kReplacement;
    return;
  }
  // Marks of the first byte, by the number of bytes that follow.
  constexpr uint32_t kMarks[] = {0, 0xc0, 0xe0, 0xf0};
  unsigned more = code_point < 0x80      ? 0
                  : code_point < 0x800   ? 1
                  : code_point < 0x10000 ? 2
                                         : 3;
  text.push_back(static_cast<char>(kMarks[more] | (code_point >> (6 * more))));
  while (more-- > 0) {
    text.push_back(
        static_cast<char>(0x80 | ((code_point >> (6 * more)) & 0x3f)));
  }
}

bool RepairText(std::string& json) {
  const bool lone_surrogates = ReplaceLoneSurrogates(json);
  // A replacement always changes the bytes, so a difference is a repair.
  std::string clean = SanitizeUtf8(json);
  const bool bad_bytes = clean != json;
  if (bad_bytes) json = std::move(clean);
  return lone_surrogates || bad_bytes;
}

std::string TailOf(std::string_view output, std::size_t most) {
  output.remove_prefix(output.size() - std::min(output.size(), most));
  const std::string text = SanitizeUtf8(output);
  if (text.size() <= most) return text;
  // A sequence has at most four bytes, so this boundary is not before the cut.
  return text.substr(Utf8Boundary(text, text.size() - most + 3));
}

std::string Printable(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, absl::ascii_isspace, ' ');
  absl::RemoveExtraAsciiWhitespace(&line);
  return Visible(line);
}

size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace mulligan::cli
