#include "policy/loader/yaml_tree.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <sstream>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

// yaml-cpp's tags for a scalar without one: plain, and quoted or block.
constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Position PositionOf(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

Issue TooManyValues(const std::string& file, const Position& position) {
  return {Issue::Severity::kError, file, position,
          absl::StrFormat("more than %d values in a file", kMaxYamlNodes)};
}

// Whether the quoted string that opens at `start` is closed. yaml-cpp takes
// the end of the file for a closing quote.
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

// Builds the tree of one document from parser events.
class TreeBuilder : public YAML::EventHandler {
 public:
  // `nodes` counts those of all documents of the file.
  TreeBuilder(const std::string& file, std::string_view text, int& nodes,
              Issues& issues)
      : file_(file), text_(text), nodes_(nodes), issues_(issues) {}

  // Whether a string swallowed what came after it.
  bool truncated() const { return truncated_; }

  // The document, as far as it was read; nothing when it holds no node.
  std::optional<YamlNode> Take() {
    while (!open_.empty()) Close();
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckAnchor(mark, anchor);
    Add({.kind = YamlNode::Kind::kNull, .position = PositionOf(mark)});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Refuse(mark, "aliases (*name) are not allowed, write the value out");
    Add({.kind = YamlNode::Kind::kHole, .position = PositionOf(mark)});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    if (tag == kQuotedTag) CheckClosed(mark);
    Add({.kind = YamlNode::Kind::kScalar,
         .position = PositionOf(mark),
         .text = value,
         .quoted = tag != kPlainTag});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { End(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { End(); }

 private:
  struct OpenNode {
    YamlNode node;
    // Of a map: the key whose value comes next.
    std::optional<YamlNode> key;
  };

  void Refuse(const YAML::Mark& mark, std::string message) {
    issues_.push_back(
        {Issue::Severity::kError, file_, PositionOf(mark), std::move(message)});
  }

  void CheckAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      Refuse(mark, "anchors (&name) are not allowed");
    }
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == kPlainTag || tag == kQuotedTag) return;
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
    if (skipped_ > 0 || open_.size() >= static_cast<size_t>(kMaxYamlDepth)) {
      if (skipped_++ == 0) {
        Refuse(mark,
               absl::StrFormat("nested deeper than %d levels", kMaxYamlDepth));
      }
      return;
    }
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    open_.push_back({.node = {.kind = kind, .position = PositionOf(mark)},
                     .key = std::nullopt});
  }

  void End() {
    if (skipped_ == 0) {
      Close();
    } else if (--skipped_ == 0) {
      Add({.kind = YamlNode::Kind::kHole});
    }
  }

  void Close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(YamlNode node) {
    if (skipped_ > 0) return;
    if (++nodes_ > kMaxYamlNodes) {
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
  int& nodes_;
  Issues& issues_;
  std::vector<OpenNode> open_;
  std::optional<YamlNode> root_;
  // Levels below kMaxYamlDepth we are in.
  int skipped_ = 0;
  bool truncated_ = false;
};

constexpr size_t kMaxQuoted = 60;

bool IsForbiddenControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

class TextChecker {
 public:
  TextChecker(const std::string& file, Issues& issues)
      : file_(file), issues_(issues) {}

  // Returns false when the line must not be parsed. One issue of each kind is
  // enough: a binary file has thousands.
  bool CheckLine(std::string_view line, int number) {
    bool parsable = true;
    if (const size_t at = FindInvalidUtf8(line); at != line.npos) {
      parsable = false;
      Report(bad_bytes_, number, at,
             absl::StrFormat("byte 0x%02x is not valid UTF-8",
                             static_cast<unsigned char>(line[at])));
    }
    for (size_t i = 0; i < line.size(); ++i) {
      if (!IsForbiddenControl(line[i])) continue;
      parsable = false;
      Report(bad_controls_, number, i,
             absl::StrFormat("control character 0x%02x is not allowed",
                             static_cast<unsigned char>(line[i])));
      break;
    }
    const size_t indent = line.find_first_not_of(" \t\r");
    const size_t tab = line.find('\t');
    if (indent != line.npos && tab < indent) {
      Report(bad_tabs_, number, tab, "tab in indentation, use spaces");
      parsable = false;
    }
    if (line.substr(0, 1) == "%") {
      Report(bad_directives_, number, 0, "directives (%) are not allowed");
      parsable = false;
    }
    return parsable;
  }

 private:
  void Report(bool& reported, int line, size_t offset, std::string message) {
    if (reported) return;
    reported = true;
    issues_.push_back({Issue::Severity::kError,
                       file_,
                       {line, static_cast<int>(offset) + 1},
                       std::move(message)});
  }

  const std::string& file_;
  Issues& issues_;
  bool bad_bytes_ = false;
  bool bad_controls_ = false;
  bool bad_tabs_ = false;
  bool bad_directives_ = false;
};

}  // namespace

YamlDocuments ParseYaml(const std::string& file, const std::string& text,
                        Issues& issues) {
  YamlDocuments parsed;
  if (!CheckYamlText(file, text, issues)) return parsed;
  // yaml-cpp keeps what stands between [ and ] until it knows that it is no
  // key, hundreds of bytes for each of these, before the first value is seen
  // here.
  if (std::ranges::count_if(text, [](char c) {
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
      TreeBuilder builder(file, body, nodes, issues);
      try {
        more = parser.HandleNextDocument(builder);
      } catch (const YAML::DeepRecursion& error) {
        fail(PositionOf(error.mark), "nested too deeply");
        more = false;
      } catch (const YAML::Exception& error) {
        fail(PositionOf(error.mark), error.msg);
        more = false;
      }
      parsed.truncated = parsed.truncated || builder.truncated();
      if (std::optional<YamlNode> node = builder.Take()) {
        parsed.documents.push_back(*std::move(node));
      }
    }
  } catch (const YAML::Exception& error) {  // while reading the stream's start
    fail(PositionOf(error.mark), error.msg);
  } catch (const std::exception& error) {
    fail({}, error.what());
  }
  return parsed;
}

bool CheckYamlText(const std::string& file, std::string_view text,
                   Issues& issues) {
  TextChecker checker(file, issues);
  bool parsable = true;
  int number = 1;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    parsable = checker.CheckLine(text.substr(0, end), number++) && parsable;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return parsable;
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  const size_t end =
      text.size() <= kMaxQuoted ? text.size() : Utf8Boundary(text, kMaxQuoted);
  for (const char c : text.substr(0, end)) {
    if (IsForbiddenControl(c) || c == '\n' || c == '\t' || c == '\r') {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  if (end < text.size()) out += "...";
  out += '"';
  return out;
}

}  // namespace mulligan
