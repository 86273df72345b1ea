#include "policy/loader/yaml_tree.h"

#include <pthread.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Parsed {
  std::vector<YamlNode> documents;
  std::vector<std::string> issues;
};

Parsed Parse(const std::string& text) {
  Parsed parsed;
  Issues issues;
  parsed.documents = ParseYaml("f", text, issues).documents;
  for (const Issue& issue : issues) {
    parsed.issues.push_back(FormatIssue(issue));
  }
  return parsed;
}

// The tree on one line, without positions.
std::string Show(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "null";
    case YamlNode::Kind::kHole:
      return "hole";
    case YamlNode::Kind::kScalar:
      return node.quoted ? absl::StrCat("'", node.text, "'") : node.text;
    case YamlNode::Kind::kList:
      for (const YamlNode& item : node.items) {
        absl::StrAppend(&out, out.empty() ? "" : " ", Show(item));
      }
      return absl::StrCat("[", out, "]");
    case YamlNode::Kind::kMap:
      for (const auto& [key, value] : node.entries) {
        absl::StrAppend(&out, out.empty() ? "" : " ", Show(key), ":",
                        Show(value));
      }
      return absl::StrCat("{", out, "}");
  }
  return out;
}

std::string ShowAll(const Parsed& parsed) {
  std::string out;
  for (const YamlNode& document : parsed.documents) {
    absl::StrAppend(&out, out.empty() ? "" : " | ", Show(document));
  }
  return out;
}

TEST(ParseYamlTest, KeepsOrderQuotesAndDuplicates) {
  const Parsed parsed =
      Parse("b: [1, '2', \"x\"]\na: |\n  text\nb: {c: ~, d: }\n");
  EXPECT_THAT(parsed.issues, IsEmpty());
  EXPECT_EQ(ShowAll(parsed), "{b:[1 '2' 'x'] a:'text\n' b:{c:null d:null}}");
}

TEST(ParseYamlTest, CountsPositionsFromOne) {
  const Parsed parsed = Parse("# comment\na:\n  - b: 1\n");
  ASSERT_THAT(parsed.documents, SizeIs(1));
  const YamlNode& root = parsed.documents[0];
  EXPECT_EQ(root.entries[0].first.position.line, 2);
  EXPECT_EQ(root.entries[0].first.position.column, 1);
  const YamlNode& inner = root.entries[0].second.items[0];
  EXPECT_EQ(inner.entries[0].second.position.line, 3);
  EXPECT_EQ(inner.entries[0].second.position.column, 8);
}

TEST(ParseYamlTest, ReadsEveryDocument) {
  EXPECT_EQ(ShowAll(Parse("a: 1\n---\nb: 2\n")), "{a:1} | {b:2}");
  EXPECT_EQ(ShowAll(Parse("---\na: 1\n...\n")), "{a:1}");
  EXPECT_EQ(ShowAll(Parse("a: 1\n---\n---\nb: 2\n")), "{a:1} | null | {b:2}");
  EXPECT_EQ(ShowAll(Parse("# nothing\n")), "");
  EXPECT_EQ(ShowAll(Parse("")), "");
}

TEST(ParseYamlTest, RefusesAnchorsAliasesAndTags) {
  const Parsed parsed =
      Parse("a: &x {b: 1}\nc: *x\nd: !!str 1\ne: !custom [1]\n<<: 1\n");
  EXPECT_THAT(
      parsed.issues,
      ElementsAre("f:1:4: error: anchors (&name) are not allowed",
                  HasSubstr("f:2:4: error: aliases (*name) are not allowed"),
                  HasSubstr("error: tags (\"tag:yaml.org,2002:str\")"),
                  HasSubstr("error: tags (\"!custom\")")));
  EXPECT_EQ(ShowAll(parsed), "{a:{b:1} c:hole d:'1' e:[1] <<:1}");
}

TEST(ParseYamlTest, DoesNotExpandABillionLaughs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [");
    for (int j = 0; j < 9; ++j) absl::StrAppend(&bomb, "*a", i - 1, ", ");
    bomb += "]\n";
  }
  const Parsed parsed = Parse(bomb);
  EXPECT_THAT(parsed.issues, SizeIs(20 + 19 * 9));
  ASSERT_THAT(parsed.documents, SizeIs(1));
  EXPECT_THAT(parsed.documents[0].entries[19].second.items, SizeIs(9));
}

TEST(ParseYamlTest, AcceptsNestingAtTheBoundAndRefusesOneMore) {
  const auto nested = [](int depth) {
    const auto count = static_cast<size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_THAT(Parse(nested(kMaxYamlDepth)).issues, IsEmpty());
  EXPECT_THAT(Parse("{a: " + nested(kMaxYamlDepth) + ", b: 1}").issues,
              ElementsAre("f:1:36: error: nested deeper than 32 levels"));
  EXPECT_EQ(Show(Parse("{b: 1, a: " + nested(kMaxYamlDepth) + "}")
                     .documents[0]
                     .entries[0]
                     .second),
            "1");
}

TEST(ParseYamlTest, SurvivesAbsurdNesting) {
  for (const char* const opening : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += opening;
    EXPECT_FALSE(Parse(text).issues.empty()) << opening;
  }
}

TEST(ParseYamlTest, ReportsSyntaxErrorsWithTheirPlace) {
  EXPECT_THAT(Parse("a: 1\nb: [1, 2\n").issues,
              ElementsAre(HasSubstr("f:3:1: error: not valid YAML: ")));
  EXPECT_THAT(Parse("a: 'x").issues,
              ElementsAre(HasSubstr("error: not valid YAML: ")));
  EXPECT_THAT(Parse("a: b: c\n").issues,
              ElementsAre(HasSubstr("f:1:5: error: not valid YAML: ")));
}

// Messages say what was found and what is expected.
TEST(ParseYamlTest, SaysWhatIsExpectedAtSyntaxErrors) {
  const struct {
    const char* text;
    const char* says;
  } rows[] = {
      {"a: {b: 1\n", "'{' is never closed"},
      {"a: [1, 2\n", "'[' is never closed"},
      {"a: 1\n- x\n", "expected \"key: value\" at the same indentation"},
      {"- - b\n  c: 1\n", "expected \"- item\" at the same indentation"},
      {"a: b: c\n", "quotes around a value with \": \""},
      {"a: b\n\tc: 1\n", "tab in indentation"},
      {"a: @x\n", "a character that begins no value"},
      {"a: *x\n", "*NAME without an &NAME before it"},
      {"a: \"b\\q\"\n", "begins no escape"},
      {"a: }\n", "closes nothing"},
      {"a: |x\n  b\n", "begin on the next line"},
  };
  for (const auto& [text, says] : rows) {
    EXPECT_THAT(Parse(text).issues, ElementsAre(HasSubstr(says))) << text;
  }
}

// yaml-cpp closes such strings itself and swallows the rest of the file.
TEST(ParseYamlTest, RefusesUnclosedQuotedStrings) {
  const auto issues = ElementsAre("f:1:5: error: quoted string is not closed");
  EXPECT_THAT(Parse("ä: 'x\nb: 2\n").issues, issues);
  EXPECT_THAT(Parse("ä: 'it''s\n\n").issues, issues);
  EXPECT_THAT(Parse("ä: \"x\\\"\n").issues, issues);
  EXPECT_THAT(Parse("\xef\xbb\xbfä: \"x\n").issues, issues);
  EXPECT_THAT(
      Parse("a: 'it''s'\nb: \"x\\\"y\\\\\"\nc: ''\nd: \"\"\ne: |\n 'x\n")
          .issues,
      IsEmpty());
}

TEST(ParseYamlTest, KeepsDocumentsBeforeASyntaxError) {
  const Parsed parsed = Parse("a: {b: 1}\nc:\n  - 2\n  - [3, }\n");
  EXPECT_THAT(parsed.issues, SizeIs(1));
  EXPECT_EQ(ShowAll(parsed), "{a:{b:1} c:[2]}");
}

// Nested far deeper than any stack, in every way that YAML allows.
std::vector<std::string> DeepTexts() {
  constexpr std::size_t kDepth = 3000;
  std::vector<std::string> texts(7);
  for (std::size_t i = 0; i < kDepth; ++i) {
    texts[0] += '[';
    texts[1] += "{a: ";
    texts[2] += "[a: ";
    texts[3] += "- ";
    texts[4] += "? ";
    // Indented nesting takes one line per level.
    if (i < 600) {
      texts[5] += std::string(i, ' ') + "a:\n";
      texts[6] += std::string(i, ' ') + "-\n";
    }
  }
  return texts;
}

// As small as the stack of a server library's thread.
constexpr std::size_t kSmallStack = 192 << 10;

void* ParseDeepTexts(void* /*nothing*/) {
  for (const std::string& text : DeepTexts()) {
    for (const auto dialect : {YamlDialect::kPolicy, YamlDialect::kAny}) {
      Issues issues;
      EXPECT_TRUE(ParseYaml("f", text, issues, dialect).truncated);
      EXPECT_THAT(issues, SizeIs(1));
      EXPECT_THAT(issues[0].message, HasSubstr("nested deeper than"))
          << text.substr(0, 20);
    }
  }
  return nullptr;
}

#ifndef MULLIGAN_INSTRUMENTED
TEST(ParseYamlTest, DeepTextsAreRefusedOnASmallStack) {
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, kSmallStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &small, ParseDeepTexts, nullptr), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&small);
}
#endif

TEST(ParseYamlTest, SaysWhetherTheLastDocumentIsComplete) {
  Issues issues;
  EXPECT_FALSE(ParseYaml("f", "a: 1\n", issues).truncated);
  EXPECT_FALSE(ParseYaml("f", "a: &x 1\n", issues).truncated);
  EXPECT_TRUE(ParseYaml("f", "a: 1\n---\nb: [\n", issues).truncated);
}

TEST(ParseYamlTest, DoesNotParseBinaryText) {
  const Parsed parsed = Parse(std::string("a: 1\n\0", 6));
  EXPECT_THAT(parsed.issues, SizeIs(1));
  EXPECT_THAT(parsed.documents, IsEmpty());
}

}  // namespace
}  // namespace mulligan
