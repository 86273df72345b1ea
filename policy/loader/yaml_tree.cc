#include "policy/loader/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/loader/yaml_text.h"

namespace mulligan {
namespace {

// yaml-cpp's tags for a plain scalar and for a quoted or block scalar.
constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";
// Scalars with these tags have the type that they look like.
constexpr std::array<std::string_view, 5> kPlainTags = {
    kPlainTag, "tag:yaml.org,2002:null", "tag:yaml.org,2002:bool",
    "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Position PositionOf(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

Issue TooManyValues(const std::string& file, const Position& position) {
  return {Issue::Severity::kError, file, position,
          absl::StrFormat("more than %d values in a file", kMaxYamlNodes)};
}

std::size_t BytesOf(const YamlNode& node) {
  std::size_t bytes = sizeof(node) + node.text.size();
  for (const YamlNode& item : node.items) bytes += BytesOf(item);
  for (const auto& [key, value] : node.entries) {
    bytes += BytesOf(key) + BytesOf(value);
  }
  return bytes;
}

// Returns whether the quoted string that opens at `start` is closed. yaml-cpp
// accepts the end of the file as a closing quote.
bool IsClosed(std::string_view text, size_t start) {
  const char quote = text[start];
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool escaped =
          quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!escaped) return true;
      ++i;
    }
  }
  return false;
}

// Ends the parsing before yaml-cpp recurses further: each level takes hundreds
// of bytes of stack, and library threads have little.
class TooDeep : public std::exception {};

// Builds the tree of one document from parser events.
class TreeBuilder : public YAML::EventHandler {
 public:
  // `nodes` counts the values of all documents of the file.
  TreeBuilder(const std::string& file, std::string_view text,
              YamlDialect dialect, int& nodes, Issues& issues)
      : file_(file),
        text_(text),
        any_(dialect == YamlDialect::kAny),
        nodes_(nodes),
        issues_(issues) {}

  // Returns whether an unclosed string swallowed the rest.
  bool truncated() const { return truncated_; }

  // Returns the document as far as read; empty if it has no node.
  std::optional<YamlNode> Take() {
    while (!open_.empty()) Close();
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckAnchor(mark, anchor);
    Add({.kind = YamlNode::Kind::kNull, .position = PositionOf(mark)}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (!any_) {
      Refuse(mark, "aliases (*name) are not allowed, write the value out");
    } else if (found == anchored_.end()) {
      if (!truncated_) Refuse(mark, "an alias inside what it stands for");
    } else if (!TakeTooMuch(found->second)) {
      return Add(found->second);
    }
    Add({.kind = YamlNode::Kind::kHole, .position = PositionOf(mark)});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    if (tag == kQuotedTag) CheckClosed(mark);
    const bool plain = std::ranges::find(kPlainTags, tag) != kPlainTags.end();
    Add({.kind = YamlNode::Kind::kScalar,
         .position = PositionOf(mark),
         .text = value,
         .quoted = !plain},
        anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct OpenNode {
    YamlNode node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    // In a map: the key whose value comes next.
    std::optional<YamlNode> key = std::nullopt;
  };

  void Refuse(const YAML::Mark& mark, std::string message) {
    issues_.push_back(
        {Issue::Severity::kError, file_, PositionOf(mark), std::move(message)});
  }

  void CheckAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (!any_ && anchor != YAML::NullAnchor) {
      Refuse(mark, "anchors (&name) are not allowed");
    }
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (any_ || tag.empty() || tag == kPlainTag || tag == kQuotedTag) return;
    Refuse(mark, absl::StrFormat("tags (%s) are not allowed", Quote(tag)));
  }

  void CheckClosed(const YAML::Mark& mark) {
    const auto start = static_cast<size_t>(mark.pos);
    if (mark.pos < 0 || start >= text_.size()) return;
    const bool quoted = text_[start] == '"' || text_[start] == '\'';
    if (quoted && !IsClosed(text_, start)) {
      Refuse(mark, "quoted string is not closed");
      truncated_ = true;
    }
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    const int max_depth = any_ ? kMaxAnyYamlDepth : kMaxYamlDepth;
    if (open_.size() >= static_cast<size_t>(max_depth)) {
      Refuse(mark, absl::StrFormat("nested deeper than %d levels", max_depth));
      throw TooDeep();
    }
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    open_.push_back({.node = {.kind = kind, .position = PositionOf(mark)},
                     .anchor = anchor});
  }

  void Close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    Add(std::move(closed.node), closed.anchor);
  }

  // Returns whether another copy of `node` exceeds the bound on aliases.
  bool TakeTooMuch(const YamlNode& node) {
    aliased_bytes_ += BytesOf(node);
    if (aliased_bytes_ <= kMaxAliasedBytes) return false;
    if (!truncated_) {
      issues_.push_back({Issue::Severity::kError, file_, node.position,
                         absl::StrFormat("aliases expand to more than %d MiB",
                                         kMaxAliasedBytes >> 20U)});
    }
    truncated_ = true;
    return true;
  }

  void Add(YamlNode node, YAML::anchor_t anchor = YAML::NullAnchor) {
    if (any_ && anchor != YAML::NullAnchor && !TakeTooMuch(node)) {
      anchored_[anchor] = node;
    }
    if (!any_ && ++nodes_ > kMaxYamlNodes) {
      if (nodes_ == kMaxYamlNodes + 1) {
        issues_.push_back(TooManyValues(file_, node.position));
      }
      truncated_ = true;
      return;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key.has_value()) {
      parent.key = std::move(node);
    } else {
      parent.node.entries.emplace_back(*std::move(parent.key), std::move(node));
      parent.key.reset();
    }
  }

  const std::string& file_;
  // Without byte order mark, so that marks are offsets into it.
  std::string_view text_;
  const bool any_;
  int& nodes_;
  Issues& issues_;
  std::vector<OpenNode> open_;
  std::optional<YamlNode> root_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t aliased_bytes_ = 0;
  bool truncated_ = false;
};

constexpr std::string_view kTab =
    "found a tab in the indentation, expected spaces: YAML takes no tabs there";

// The start of each yaml-cpp 0.7 message, and what it means for the author.
constexpr std::pair<std::string_view, std::string_view> kYamlErrors[] = {
    {"end of map flow", "'{' is never closed, expected '}' or ','"},
    {"end of sequence flow", "'[' is never closed, expected ']' or ','"},
    {"end of map",
     "found something else in a mapping, expected \"key: value\" at the same "
     "indentation"},
    {"end of sequence",
     "found something else in a list, expected \"- item\" at the same "
     "indentation"},
    {"illegal map value",
     "found ':' where no value begins, expected one \"key: value\" a line, at "
     "the indentation of its mapping, and quotes around a value with \": \""},
    {"illegal map key",
     "found a key where none begins, expected a key at the indentation of its "
     "mapping"},
    {"illegal block entry",
     "found '-' where no list begins, expected \"- item\" on a line of its "
     "own"},
    {"illegal flow end", "found ']' or '}' that closes nothing"},
    {"illegal tab", kTab},
    {"illegal EOF in scalar",
     "a quoted text is never closed, expected a quote"},
    {"illegal document indicator",
     "found '---' or '...' inside a quoted text, expected its closing quote"},
    {"unknown token",
     "found a character that begins no value, expected quotes around a value "
     "that begins with @, ` or %"},
    {"unknown escape character",
     "found a backslash in double quotes that begins no escape, expected \\\\, "
     "\\n or single quotes around the text"},
    {"the referenced anchor is not defined",
     "found *NAME without an &NAME before it, expected quotes around a value "
     "that begins with *"},
    {"alias not found",
     "found '*' without a name, expected quotes around a value that begins "
     "with *"},
    {"anchor not found",
     "found '&' without a name, expected quotes around a value that begins "
     "with &"},
    {"unexpected character in block scalar",
     "found a text behind '|' or '>', expected it to begin on the next line"},
};

// Returns the first tab in the indentation up to `line`, which is the cause of
// a later yaml-cpp error; empty if there is none.
std::optional<Position> TabBefore(std::string_view text, int line) {
  for (int number = 1; number <= line && !text.empty(); ++number) {
    const std::string_view one = text.substr(0, text.find('\n'));
    const std::size_t indent = one.find_first_not_of(" \t\r");
    const std::size_t tab = one.find('\t');
    if (indent != one.npos && tab < indent) {
      return Position{number, static_cast<int>(tab) + 1};
    }
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return std::nullopt;
}

std::string ExplainYamlError(const std::string& message) {
  for (const auto& [begins, means] : kYamlErrors) {
    if (message.starts_with(begins)) return std::string(means);
  }
  return message;
}

}  // namespace

YamlDocuments ParseYaml(const std::string& file, const std::string& text,
                        Issues& issues, YamlDialect dialect) {
  YamlDocuments parsed;
  const bool any = dialect == YamlDialect::kAny;
  if (!CheckYamlText(file, text, issues, dialect)) return parsed;
  // yaml-cpp keeps everything between [ and ] until it knows that it is not a
  // key, at hundreds of bytes per value, before the first value is reported.
  if (!any && std::ranges::count_if(text, [](char c) {
                return c == ',' || c == '[' || c == '{';
              }) > kMaxYamlNodes) {
    parsed.truncated = true;
    issues.push_back(TooManyValues(file, {1, 1}));
    return parsed;
  }
  std::string_view body = text;
  if (body.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    body.remove_prefix(kByteOrderMark.size());
  }
  const auto fail = [&](Position position, const std::string& what) {
    parsed.truncated = true;
    issues.push_back({Issue::Severity::kError, file, position,
                      absl::StrFormat("not valid YAML: %s", what)});
  };
  try {
    std::istringstream in{std::string(body)};
    YAML::Parser parser(in);
    int nodes = 0;
    for (bool more = true; more && nodes <= kMaxYamlNodes;) {
      TreeBuilder builder(file, body, dialect, nodes, issues);
      try {
        more = parser.HandleNextDocument(builder);
      } catch (const TooDeep&) {
        parsed.truncated = true;
        more = false;
      } catch (const YAML::Exception& error) {
        const Position at = PositionOf(error.mark);
        if (const auto tab = TabBefore(body, at.line)) {
          fail(*tab, std::string(kTab));
        } else {
          fail(at, ExplainYamlError(error.msg));
        }
        more = false;
      }
      parsed.truncated = parsed.truncated || builder.truncated();
      if (std::optional<YamlNode> node = builder.Take()) {
        parsed.documents.push_back(*std::move(node));
      }
    }
  } catch (const YAML::Exception& error) {  // at the start of the stream
    fail(PositionOf(error.mark), ExplainYamlError(error.msg));
  } catch (const std::exception& error) {
    fail({}, error.what());
  }
  return parsed;
}

}  // namespace mulligan
