
#include <string>

#include "client/cli/base/json_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;

TEST(JsonToYamlTest, PrintsBlocksLikeKubectl) {
  EXPECT_EQ(JsonToYaml(R"({"a":{"b":1,"c":[{"d":"x","e":[]},"y",[2]]},"f":{},)"
                       R"("g":null,"h":true})"),
            "a:\n"
            "  b: 1\n"
            "  c:\n"
            "  - d: x\n"
            "    e: []\n"
            "  - \"y\"\n"
            "  -\n"
            "    - 2\n"
            "f: {}\n"
            "g: null\n"
            "h: true\n");
}

TEST(JsonToYamlTest, QuotesStringsThatLookLikeOtherTypes) {
  for (const std::string text : {"",         "yes",
                                 "Null",     "1",
                                 "0x1f",     "1e3",
                                 "- a",      "a: b",
                                 "a #b",     "{x}",
                                 "*a",       "&a",
                                 "!t",       "%d",
                                 "@x",       "`x",
                                 "|",        ">",
                                 "a\nb",     " a",
                                 "a ",       "2026-01-31T08:00:00Z",
                                 "'q'",      "\"q\"",
                                 "\xc3\xa9", "a\x1b[0m",
                                 "/healthz", "exit code 137, at once"}) {
    std::string json = R"({"v":")";
    for (const char c : text) {
      if (c == '"' || c == '\\') json += '\\';
      if (c == '\n') {
        json += "\\n";
      } else if (c == '\x1b') {
        json += "\\u001b";
      } else {
        json += c;
      }
    }
    json += "\"}";
    const std::string yaml = JsonToYaml(json);
    EXPECT_EQ(yaml.find('\x1b'), yaml.npos);
    ASSERT_OK_AND_ASSIGN(const std::vector<std::string> back, YamlToJson(yaml));
    ASSERT_EQ(back.size(), 1U) << yaml;
    EXPECT_EQ(JsonToYaml(back[0]), yaml);
    EXPECT_THAT(back[0], ::testing::StartsWith("{\"v\":\"")) << yaml;
  }
}

}  // namespace
}  // namespace mulligan::cli
