#include "policy/loader/yaml_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Check(const std::string& text) {
  Issues issues;
  const bool parsable = CheckYamlText("f", text, issues);
  EXPECT_EQ(parsable, issues.empty());
  std::vector<std::string> formatted;
  for (const Issue& issue : issues) formatted.push_back(FormatIssue(issue));
  return formatted;
}

TEST(CheckYamlTextTest, AcceptsOrdinaryText) {
  EXPECT_THAT(Check(""), IsEmpty());
  EXPECT_THAT(Check("a: 1\r\nb: \"grüße €\U0001F600\"\n"), IsEmpty());
  EXPECT_THAT(Check("\xef\xbb\xbf"
                    "a: 1\n"),
              IsEmpty());
}

TEST(CheckYamlTextTest, RefusesInvalidUtf8) {
  EXPECT_THAT(Check("a: 1\nb: \xff\n"),
              ElementsAre("f:2:4: error: byte 0xff is not valid UTF-8"));
}

TEST(CheckYamlTextTest, RefusesNulAndEndOfTransmission) {
  EXPECT_THAT(Check(std::string("a: \0b", 5)),
              ElementsAre("f:1:4: error: control character 0x00 is not "
                          "allowed"));
  EXPECT_THAT(Check("a: b\n\x04\nc: d\n"),
              ElementsAre("f:2:1: error: control character 0x04 is not "
                          "allowed"));
}

TEST(CheckYamlTextTest, RefusesTabsInIndentationOnly) {
  EXPECT_THAT(Check("a: 1\t# one\n \t \nb: 2\n"), IsEmpty());
  EXPECT_THAT(Check("a:\n  \tb: 1\n"),
              ElementsAre("f:2:3: error: tab in indentation, use spaces"));
}

TEST(CheckYamlTextTest, RefusesDirectives) {
  EXPECT_THAT(Check("a: 100%\nb:\n  %c\n"), IsEmpty());
  EXPECT_THAT(Check("a: 1\n%YAML 1.1\nb: 2\n"),
              ElementsAre("f:2:1: error: directives (%) are not allowed"));
}

TEST(CheckYamlTextTest, ReportsEachKindOnce) {
  EXPECT_THAT(Check("\x01\n\x02\n\xff\n\xfe\n\tx\n\ty\n"),
              ElementsAre("f:1:1: error: control character 0x01 is not "
                          "allowed",
                          "f:3:1: error: byte 0xff is not valid UTF-8",
                          "f:5:1: error: tab in indentation, use spaces"));
}

TEST(QuoteTest, EscapesWhatCouldForgeOutput) {
  EXPECT_EQ(Quote("plain"), "\"plain\"");
  EXPECT_EQ(Quote("a\nb\x1b[2J\t"), "\"a\\x0ab\\x1b[2J\\x09\"");
}

TEST(QuoteTest, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(Quote(std::string(60, 'a')), '"' + std::string(60, 'a') + '"');
  EXPECT_EQ(Quote(std::string(61, 'a')), '"' + std::string(60, 'a') + "...\"");
  EXPECT_EQ(Quote(std::string(59, 'a') + "\xc3\xa4z"),
            '"' + std::string(59, 'a') + "...\"");
}

}  // namespace
}  // namespace mulligan
