#include "client/cli/input/documents.h"

#include <string>

#include "client/cli/base/json_text.h"
#include "client/cli/base/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitDocumentsTest, ReadsConcatenatedJsonValues) {
  ASSERT_OK_AND_ASSIGN(const Documents documents,
                       SplitDocuments("in", "{\"a\":1}{\"b\":2}\n[3]\n"));
  EXPECT_THAT(documents.json, ElementsAre("{\"a\":1}", "{\"b\":2}", "[3]"));
  EXPECT_THAT(documents.warnings, IsEmpty());
}

TEST(SplitDocumentsTest, IgnoresAByteOrderMark) {
  ASSERT_OK_AND_ASSIGN(const Documents documents,
                       SplitDocuments("in", "\xef\xbb\xbf{}"));
  EXPECT_THAT(documents.json, ElementsAre("{}"));
}

TEST(SplitDocumentsTest, ReadsFlowStyleYamlByFileName) {
  ASSERT_OK_AND_ASSIGN(const Documents documents,
                       SplitDocuments("in.yaml", "{a: 1}"));
  EXPECT_THAT(documents.json, ElementsAre("{\"a\":1}"));
  EXPECT_THAT(SplitDocuments("in.json", "{a: 1}"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "in.json: line 1, column 2: expected a key in double "
                       "quotes, found 'a'"));
}

TEST(SplitDocumentsTest, CountsLinesAcrossValues) {
  EXPECT_THAT(SplitDocuments("in", "{}\n{}\n{\n  \"a\" 1}"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in: line 4, column 7: ")));
}

TEST(SplitDocumentsTest, ReplacesInvalidUtf8WithAWarning) {
  for (const std::string text :
       {"{\"m\":\"a\xff\"}", "{\"m\":\"a\\ud800\"}", "m: a\xff\n\n# x"}) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const Documents documents, SplitDocuments("in", text));
    EXPECT_THAT(documents.json, ElementsAre("{\"m\":\"a\xef\xbf\xbd\"}"));
    EXPECT_THAT(documents.warnings, ElementsAre(HasSubstr("in: ")));
  }
}

TEST(SplitDocumentsTest, KeepsSurrogatePairsAndEscapedBackslashes) {
  const std::string text = R"({"a":"\ud83d\ude00","b":"\\ud800"})";
  ASSERT_OK_AND_ASSIGN(const Documents documents, SplitDocuments("in", text));
  EXPECT_THAT(documents.json, ElementsAre(text));
  EXPECT_THAT(documents.warnings, IsEmpty());
}

struct BadInput {
  const char* name;
  std::string bytes;
  const char* message;
};

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRejectedByName) {
  EXPECT_THAT(SplitDocuments("in", GetParam().bytes),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputTest,
    ::testing::Values(
        BadInput{"Empty", "", "in: is empty"},
        BadInput{"OnlySpace", " \n\t\n", "in: is empty"},
        BadInput{"Utf16", std::string("\xff\xfe{\0}\0", 6), "in: is UTF-16"},
        BadInput{"Binary", std::string("\x7f\x45LF\x02\x01\0\0", 8),
                 "in: is binary data"},
        BadInput{"BrokenJson", "{\"a\":", "in: line 1, column 6"},
        BadInput{"BrokenList", "[1,2", "in: line 1, column 1: an array"},
        BadInput{"BrokenYaml", "a: [1\nb: 2", "in: line 2"}),
    [](const auto& test) { return test.param.name; });

bool IsReadAsLog(const std::string& text) {
  const absl::StatusOr<Documents> documents = SplitDocuments("in", text);
  return documents.ok() && !documents->warnings.empty();
}

// Returns the message of the report that a log becomes.
std::string MessageOf(const std::string& log) {
  const absl::StatusOr<Documents> documents = SplitDocuments("in", log);
  if (!documents.ok() || documents->json.size() != 1) return "";
  const std::string_view exit = JsonMemberOf(documents->json[0], "exit");
  return JsonStringValue(JsonMemberOf(exit, "message"));
}

// A log becomes a report that has only a message.
TEST(SplitDocumentsTest, ReadsLogs) {
  const struct {
    const char* log;
    const char* message;
  } rows[] = {
      {"Traceback (most recent call last):\n  File \"x.py\", line 1\n"
       "KeyError: 'x'\n",
       "KeyError: 'x'"},
      {"[rank0]: Traceback (most recent call last):\n[rank0]: KeyError: 'x'\n",
       "[rank0]: KeyError: 'x'"},
      {"ValueError: bad\n", "ValueError: bad"},
      {"[12345.6] Out of memory: Killed process 42\n", "Killed process 42"},
      {"panic: runtime error: index out of range\n\tmain.go:9\n", "panic: "},
      {"INFO: start\nERROR: CUDA out of memory: tried 2 GiB\n", "ERROR: CUDA"},
      {"- step 1 done\n- step 2 failed: refused\n", "step 2 failed"},
      {"#\n# A fatal error has been detected\n#  SIGSEGV (0xb)\n", "SIGSEGV"},
      {R"({"level":"error","msg":"no way in","ts":1.5})"
       "\n",
       "no way in"},
  };
  for (const auto& [log, message] : rows) {
    ASSERT_OK_AND_ASSIGN(const Documents documents, SplitDocuments("in", log));
    EXPECT_THAT(MessageOf(log), HasSubstr(message));
    EXPECT_THAT(documents.warnings,
                ElementsAre(HasSubstr("in: is a log, diagnosed by its text")));
  }
}

TEST(SplitDocumentsTest, DoesNotReadObjectsAsLogs) {
  for (const char* text :
       {R"({"kind":"Event","apiVersion":"v1","message":"x","time":"y"})",
        R"({"report":{"exit":{"message":"x"}}})",
        R"({"exit":{"message":"x"},"attempt":1})",
        "kind: Pod\nmetadata:\n  name: a\n"}) {
    ASSERT_OK_AND_ASSIGN(const Documents documents, SplitDocuments("in", text));
    EXPECT_THAT(documents.warnings, IsEmpty()) << text;
  }
}

// By their first line.
TEST(SplitDocumentsTest, ReadsJsonLogs) {
  for (const char* log : {
           R"({"level":"error","ts":1.8,"msg":"no database"})",
           R"({"level":50,"time":1,"msg":"boom","err":{"message":"m"}})",
           R"({"@timestamp":"t","level":"WARN","message":"full"})",
           R"({"asctime":"t","levelname":"ERROR","message":"x"})",
           R"({"log":"KeyError: 'x'\n","stream":"stderr","time":"t"})",
           // Output that bypasses the logger, and blank lines.
           "\n{\"level\":\"info\",\"msg\":\"up\"}\n\npanic: x\n{\"a\":1}\n",
       }) {
    EXPECT_TRUE(IsReadAsLog(log)) << log;
  }
  for (const char* text :
       {"{}", "[1]", "{\"msg\":\"x\"}", "{\"level\":\"info\"}",
        "{\"msg\":{},\"level\":\"info\"}",
        "{\"apiVersion\":\"v1\",\"message\":\"x\",\"time\":\"t\"}",
        "{\n\"level\":\"info\",\n\"msg\":\"x\"}",
        "{\"level\":\"info\",\"msg\":\"x\"} {"}) {
    EXPECT_FALSE(IsReadAsLog(text)) << text;
  }
}

TEST(SplitDocumentsTest, KeepsTheEndOfALog) {
  std::string log;
  while (log.size() < 2 * kMaxTextBytes) log += "line \x1b of a log\n";
  log += "the \"last\"\n";
  const std::string message = MessageOf(log);
  EXPECT_LE(message.size(), kMaxTextBytes);
  EXPECT_GT(message.size(), kMaxTextBytes - 32);
  EXPECT_TRUE(message.starts_with("line "));
  EXPECT_TRUE(message.ends_with("the \"last\"\n"));
  // Keeps the end of one long line.
  EXPECT_THAT(MessageOf(std::string(70'000, 'x') + " the end\n"),
              ::testing::EndsWith("x the end\n"));
}

TEST(SplitDocumentsTest, ReadsTenMegabytes) {
  std::string json = "[";
  while (json.size() < (size_t{10} << 20)) json += "{\"a\":\"bcdefghij\"},";
  json += "{}]";
  ASSERT_OK_AND_ASSIGN(const Documents documents, SplitDocuments("in", json));
  EXPECT_EQ(documents.json.size(), 1);
}

TEST(PrintableTest, EscapesControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[31mb\r\n\tc\x7f\xc2\x9b"
                      "d é\xff"),
            "a\\u001b[31mb c\\u007f\\u009bd é\xef\xbf\xbd");
  EXPECT_EQ(Printable("  a   b  "), "a b");
}

}  // namespace
}  // namespace mulligan::cli
