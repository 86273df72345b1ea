// A YAML tree with what yaml-cpp's nodes lose: positions, duplicate keys and
// quoting. Policies, suites and objects on the command line are read with it.
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
// Most values of one file. Each takes at least two bytes in the file and two
// hundred in memory. A policy of a thousand rules has twenty thousand.
inline constexpr int kMaxYamlNodes = 50'000;
// Bytes to which aliases may expand.
inline constexpr std::size_t kMaxAliasedBytes = std::size_t{64} << 20;

// Deepest nesting for kAny, and of JSON.
inline constexpr int kMaxAnyYamlDepth = 100;

struct YamlNode {
  // kHole stands for a value that was refused and already reported.
  enum class Kind { kNull, kScalar, kList, kMap, kHole };

  Kind kind = Kind::kNull;
  Position position = {};
  // Scalars.
  std::string text = {};
  // The scalar is a string whatever it looks like: it is quoted, a block (| or
  // >), or has a tag other than null, bool, int or float.
  bool quoted = false;
  std::vector<YamlNode> items = {};
  // In file order, including duplicates.
  std::vector<std::pair<YamlNode, YamlNode>> entries = {};
};

struct YamlDocuments {
  std::vector<YamlNode> documents;
  // A syntax error ended the reading, so the last document is incomplete.
  bool truncated = false;
};

// Parses the documents of one file. What was read before a syntax error is
// returned too, so that its problems are reported in the same run.
//
// Adds an issue for everything that policies refuse at this level: invalid
// UTF-8, control characters, tabs in indentation, syntax errors, unclosed
// strings, anchors, aliases, tags, nesting beyond kMaxYamlDepth, which ends the
// reading, and values beyond kMaxYamlNodes, which are skipped. Aliases are not
// expanded, so the tree is no larger than the text.
//
// For kAny, adds an issue for syntax errors, unclosed strings, U+0004, nesting
// beyond kMaxAnyYamlDepth, an alias inside its own anchor, and aliases that
// expand to more than kMaxAliasedBytes.
//
// Only this function calls yaml-cpp; none of its exceptions escape.
YamlDocuments ParseYaml(const std::string& file, const std::string& text,
                        Issues& issues,
                        YamlDialect dialect = YamlDialect::kPolicy);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_TREE_H_
