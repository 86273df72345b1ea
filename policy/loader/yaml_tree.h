// YAML as a tree that keeps what yaml-cpp's own nodes lose: positions,
// duplicate keys and whether a scalar was quoted.
#ifndef MULLIGAN_POLICY_LOADER_YAML_TREE_H_
#define MULLIGAN_POLICY_LOADER_YAML_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/base/issue.h"

namespace mulligan {

// Deepest nesting of maps and lists. Policies need ten.
inline constexpr int kMaxYamlDepth = 32;
// Values of one file, of two bytes each in the worst case and two hundred in
// memory. A policy of a thousand rules has twenty thousand.
inline constexpr int kMaxYamlNodes = 50'000;

struct YamlNode {
  // kHole stands for a value that was refused and reported already.
  enum class Kind { kNull, kScalar, kList, kMap, kHole };

  Kind kind = Kind::kNull;
  Position position = {};
  // Scalars.
  std::string text = {};
  // The scalar stood in quotes or was a block (| or >), so it is a string
  // whatever it looks like.
  bool quoted = false;
  std::vector<YamlNode> items = {};
  // In file order, duplicates included.
  std::vector<std::pair<YamlNode, YamlNode>> entries = {};
};

struct YamlDocuments {
  std::vector<YamlNode> documents;
  // A syntax error ended the reading: the last document lacks its rest.
  bool truncated = false;
};

// Parses the documents of one file. Adds an issue for everything that policies
// refuse at this level: text that is no UTF-8, control characters, tabs in
// indentation, syntax errors, anchors, aliases, merge keys, tags, nesting
// beyond kMaxYamlDepth and values beyond kMaxYamlNodes, which are not read.
// Aliases are never expanded, so the tree is no larger than the text.
//
// What was read before a syntax error is returned too, so that its problems
// can be reported in the same run. The only function that meets yaml-cpp, and
// none of its exceptions leave it.
YamlDocuments ParseYaml(const std::string& file, const std::string& text,
                        Issues& issues);

// Adds an issue for bytes that are no UTF-8, for control characters (yaml-cpp
// takes U+0004 for the end of the file and would drop the rest without a word),
// for tabs in indentation and for directives (a line that starts with %, which
// yaml-cpp skips). Returns false when the text must not be parsed.
bool CheckYamlText(const std::string& file, std::string_view text,
                   Issues& issues);

// `text` in double quotes for a message: control characters escaped, cut when
// longer than 60 bytes, so that a file cannot forge lines of output.
std::string Quote(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_TREE_H_
