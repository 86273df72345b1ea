#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/desk/kept_case.h"

namespace mulligan::cli {
namespace {

using Lines = std::vector<std::string>;

// The entries below a key, lines [from, to).
struct Block {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t indent = 0;
};

Lines LinesOf(std::string_view text) {
  Lines lines =
      absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t IndentOf(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool IsContent(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t\r");
  return at != std::string::npos && line[at] != '#';
}

// Removes an empty list or map after a key.
std::string WithoutEmpty(std::string line, std::size_t from) {
  const std::size_t at = line.find_first_not_of(' ', from);
  if (at == std::string::npos) return line;
  if (line.compare(at, 2, "[]") == 0 || line.compare(at, 2, "{}") == 0) {
    line.erase(from, at + 2 - from);
  }
  return line;
}

// Returns whether a line is `key`, followed at most by a comment, or by an
// empty list or map, which it removes.
bool TakeKey(std::string& line, std::size_t indent, std::string_view key) {
  if (IndentOf(line) != indent ||
      line.compare(indent, key.size() + 1,
                   absl::StrCat(std::string(key), ":"))) {
    return false;
  }
  const std::size_t end = indent + key.size() + 1;
  std::string bare = WithoutEmpty(line, end);
  if (IsContent(bare.substr(end))) return false;
  line = std::move(bare);
  return true;
}

// Returns the block of the key in line `at`: all deeper lines, and list items
// at the key's own indentation.
Block BlockBelow(const Lines& lines, std::size_t at, std::size_t end) {
  const std::size_t key = IndentOf(lines[at]);
  Block block = {at + 1, at + 1, key + 2};
  bool is_first = true;
  for (std::size_t i = at + 1; i < end; ++i) {
    const std::size_t indent = IndentOf(lines[i]);
    const bool is_item = indent == key && lines[i][indent] == '-' &&
                         !lines[i].starts_with("---");
    if (IsContent(lines[i])) {
      if (indent <= key && !is_item) break;
      if (is_first) block.indent = indent;
      is_first = false;
    } else if (is_first || indent < block.indent || indent == lines[i].size()) {
      continue;  // a comment on what follows, or an empty line
    }
    block.to = i + 1;
  }
  return block;
}

std::size_t Find(Lines& lines, const Block& block, std::string_view key) {
  for (std::size_t i = block.from; i < block.to; ++i) {
    if (TakeKey(lines[i], block.indent, key)) return i;
  }
  return block.to;
}

}  // namespace

std::string WithoutEmptySections(std::string_view yaml) {
  Lines lines = LinesOf(yaml);
  const std::size_t top = Find(lines, {0, lines.size(), 0}, "spec");
  if (top == lines.size()) return std::string(yaml);
  const auto is_empty = [&](std::size_t at) {
    const Block block = BlockBelow(lines, at, lines.size());
    return block.from == block.to;
  };
  const auto erase = [&](std::size_t at) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (const char* section : {"fixtures", "cases"}) {
    const Block spec = BlockBelow(lines, top, lines.size());
    const std::size_t key = Find(lines, spec, section);
    if (key < spec.to && is_empty(key)) erase(key);
  }
  if (is_empty(top)) erase(top);
  return absl::StrJoin(lines, "\n");
}

bool HasNoContent(std::string_view yaml) {
  return std::ranges::none_of(LinesOf(yaml), IsContent);
}

std::string WithEntry(std::string_view yaml, std::string_view section,
                      std::string_view entry) {
  Lines lines = LinesOf(yaml);
  const bool of_windows = std::ranges::all_of(
      lines, [](std::string_view line) { return line.ends_with('\r'); });
  const std::size_t top = Find(lines, {0, lines.size(), 0}, "spec");
  if (top == lines.size()) return "";
  const Block spec = BlockBelow(lines, top, lines.size());
  const std::size_t key = Find(lines, spec, section);
  Lines added;
  Block block = {spec.to, spec.to, spec.indent + 2};
  if (key < spec.to) {
    block = BlockBelow(lines, key, spec.to);
  } else {
    added.push_back(
        absl::StrCat(std::string(spec.indent, ' '), std::string(section), ":"));
  }
  for (const std::string& line : LinesOf(entry)) {
    added.push_back(absl::StrCat(std::string(block.indent, ' '), line));
  }
  if (of_windows) {
    for (std::string& line : added) line += '\r';
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(block.to),
               added.begin(), added.end());
  return absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

}  // namespace mulligan::cli
