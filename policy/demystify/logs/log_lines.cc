#include "policy/demystify/logs/log_lines.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "policy/base/characters.h"
#include "policy/demystify/signatures/matching/keyword_matcher.h"

namespace mulligan::demystify {
namespace {

// In lower case. Text after such a phrase is a guess.
constexpr std::string_view kAdvice[] = {
    "a common cause",
    "a typical cause",
    "are you trying to",
    "can be caused by",
    "can be due to",
    "common causes",
    "compile with",
    "consider increasing",
    "consider passing",
    "consider reducing",
    "consider setting",
    "consider using",
    "could be caused by",
    "could be due to",
    "for debugging consider",
    "hint:",
    "if you suspect",
    "is often caused by",
    "is usually caused by",
    "make sure",
    "may be caused by",
    "may be due to",
    "may have been caused by",
    "may have exceeded",
    "may want to",
    "might be caused by",
    "might be due to",
    "might have been",
    "might want to",
    "please check",
    "please ensure",
    "please verify",
    "possible cause",
    "possible reason",
    "potential cause",
    "some potential",
    "some possible",
    "there are some potential root causes",
    "to debug ",
    "to see information",
    "to see more",
    "to see node",
    "try increasing",
    "try reducing",
    "try setting",
    "try using",
    "typically caused by",
    "typically indicates",
    "usually is caused by",
    "usually means",
    "you can try",
    "you may need to",
    "you might need to",
};

const KeywordMatcher& AdviceWords() {
  static const KeywordMatcher* const words =
      new KeywordMatcher({std::begin(kAdvice), std::end(kAdvice)});
  return *words;
}

bool IsListItem(std::string_view line) {
  const std::string_view text =
      line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  return text.empty() || text.size() < line.size() || text.front() == '*' ||
         text.front() == '-' || text.substr(0, 1) == "(" ||
         (text.size() > 1 && IsDigit(text[0]) &&
          (text[1] == '.' || text[1] == ')'));
}

bool IsRequest(std::string_view advice) {
  return advice.starts_with("make sure") || advice.starts_with("please ");
}

// Returns the end of the sentence at `from`, or of its list if it ends in a
// colon. A request ends where a quoted error begins ("make sure you are
// authenticated, and try again: UNAUTHORIZED") but includes what follows "check
// the following:". Reads at most one line past the result, so that repeated
// advice costs no more than its text.
std::size_t EndOfAdvice(std::string_view text, std::size_t from) {
  bool to_colon = IsRequest(text.substr(from));
  std::size_t end = from;
  for (; end < text.size() && text[end] != '\n'; ++end) {
    if (text.substr(end + 1, 1) != " ") continue;
    if (text[end] == '.') return end + 1;
    if (text[end] != ':' || !to_colon) continue;
    if (!text.substr(0, end).ends_with("following")) return end + 1;
    to_colon = false;
  }
  std::size_t last = end;
  while (last > from && IsBlank(text[last - 1])) --last;
  if (last == from || text[last - 1] != ':') return end;
  while (end < text.size()) {
    const std::size_t next = std::min(text.find('\n', end + 1), text.size());
    const std::string_view line = text.substr(end + 1, next - end - 1);
    if (line.starts_with("---") || !IsListItem(line)) {
      break;
    }
    end = next;
  }
  return end;
}

// Removes prefixes such as "[rank3]: ".
std::string_view WithoutMarks(std::string_view line) {
  while (!line.empty() && line[0] == '[') {
    const std::size_t end = line.substr(0, 48).find(']');
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
    if (line.substr(0, 1) == ":") line.remove_prefix(1);
    if (line.substr(0, 1) == " ") line.remove_prefix(1);
  }
  return line;
}

// Returns whether the line starts with a type ending in Error or Exception,
// alone or before a colon: "torch.cuda.OutOfMemoryError: CUDA out of memory."
bool ReportsException(std::string_view line) {
  line = WithoutMarks(line);
  for (const std::string_view start : {"Caused by: ", "Exception in thread "}) {
    if (line.starts_with(start)) return true;
  }
  std::size_t end = 0;
  while (end < line.size() &&
         (IsWordCharacter(line[end]) || line[end] == '.')) {
    ++end;
  }
  const std::string_view type = line.substr(0, end);
  return (end == line.size() || line[end] == ':') &&
         (type.ends_with("Error") || type.ends_with("Exception"));
}

// Blanks out the lines that `accepts` selects. Calls it for each line in order.
template <typename Accepts>
void BlankLines(std::string& text, const Accepts& accepts) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (accepts(std::string_view(text).substr(begin, end - begin))) {
      Blank(text, begin, end);
    }
    begin = end + 1;
  }
}

}  // namespace

void Blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

bool BlankAdvice(std::string& text) {
  KeywordMatcher::Hits hits{};
  if (!AdviceWords().Match(text, hits)) return false;
  std::string lower = text;
  absl::AsciiStrToLower(&lower);
  for (std::size_t word = 0; word < std::size(kAdvice); ++word) {
    if (((hits[word / 64] >> (word % 64)) & 1U) == 0) continue;
    // Blanked text is not searched again.
    for (std::size_t at = lower.find(kAdvice[word]); at != std::string::npos;
         at = lower.find(kAdvice[word], at)) {
      const std::size_t end = EndOfAdvice(lower, at);
      Blank(text, at, end);
      Blank(lower, at, end);
      at = end;
    }
  }
  return true;
}

bool KeepExceptions(std::string& text) {
  bool any = false;
  // Rust's message is on the next line.
  bool continues = false;
  BlankLines(text, [&](std::string_view line) {
    if (line.empty()) return false;
    const bool kept = continues || ReportsException(line);
    continues = !continues && line.ends_with(':') &&
                line.find("panicked at") != std::string_view::npos;
    any |= kept;
    return !kept;
  });
  return any;
}

std::size_t BeginOfLastTraceback(std::string_view text) {
  constexpr std::string_view kTitle = "Traceback (most recent call last)";
  std::size_t begin = text.rfind(kTitle);
  for (std::size_t at = begin; at != std::string_view::npos && at > 0;) {
    const std::size_t before = text.rfind(kTitle, at - 1);
    if (before == std::string_view::npos ||
        text.substr(before, at - before).find(" above exception") ==
            std::string_view::npos) {
      break;
    }
    begin = at = before;
  }
  const std::size_t line =
      begin == std::string_view::npos ? begin : text.rfind('\n', begin);
  return line == std::string_view::npos ? begin : line + 1;
}

ChainLine KindInChain(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return ChainLine::kPlace;
  line.remove_prefix(begin);
  if (line.starts_with("Caused by: ") || line.starts_with("---> ")) {
    return ChainLine::kCause;
  }
  return line.starts_with("at ") || line.starts_with("... ") ||
                 line.starts_with("--- End of ")
             ? ChainLine::kPlace
             : ChainLine::kOther;
}

}  // namespace mulligan::demystify
