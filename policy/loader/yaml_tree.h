// YAML as a tree that keeps what yaml-cpp's own nodes lose: positions,
// duplicate keys and whether a scalar was quoted. Policies, suites and the
// objects that the command line is given are all read by it.
#ifndef MULLIGAN_POLICY_LOADER_YAML_TREE_H_
#define MULLIGAN_POLICY_LOADER_YAML_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/base/issue.h"
#include "policy/loader/yaml_text.h"

namespace mulligan {

// Deepest nesting of maps and lists. Policies need ten.
inline constexpr int kMaxYamlDepth = 32;
// Values of one file, of two bytes each in the worst case and two hundred in
// memory. A policy of a thousand rules has twenty thousand.
inline constexpr int kMaxYamlNodes = 50'000;
// What the values that aliases stand for may take.
inline constexpr std::size_t kMaxAliasedBytes = std::size_t{64} << 20;

// Of the dialect kAny; JSON may not be nested deeper either.
inline constexpr int kMaxAnyYamlDepth = 100;

struct YamlNode {
  // kHole stands for a value that was refused and reported already.
  enum class Kind { kNull, kScalar, kList, kMap, kHole };

  Kind kind = Kind::kNull;
  Position position = {};
  // Scalars.
  std::string text = {};
  // The scalar stood in quotes, was a block (| or >) or has a tag that says so:
  // it is a string whatever it looks like.
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
// indentation, syntax errors, strings that are not closed, anchors, aliases,
// tags, nesting beyond kMaxYamlDepth, which ends the reading, and values beyond
// kMaxYamlNodes, which are not read. Their aliases are never expanded, so the
// tree is no larger than the text.
//
// Of the dialect kAny: for syntax errors, strings that are not closed, U+0004,
// nesting beyond kMaxAnyYamlDepth, an alias inside what it stands for, and
// aliases that expand to more than kMaxAliasedBytes.
//
// What was read before a syntax error is returned too, so that its problems
// can be reported in the same run. The only function that meets yaml-cpp, and
// none of its exceptions leave it.
YamlDocuments ParseYaml(const std::string& file, const std::string& text,
                        Issues& issues,
                        YamlDialect dialect = YamlDialect::kPolicy);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_TREE_H_
