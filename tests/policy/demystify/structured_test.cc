// Levels and messages of structured log lines.
#include "policy/demystify/logs/structured.h"

#include "gtest/gtest.h"

namespace mulligan::demystify {
namespace {

struct Row {
  const char* name;
  const char* line;
  Level level;
  const char* said;
};

class StructuredTest : public ::testing::TestWithParam<Row> {};

TEST_P(StructuredTest, GivesLevelAndMessage) {
  ASSERT_TRUE(IsStructured(GetParam().line));
  EXPECT_EQ(LevelOf(GetParam().line), GetParam().level);
  EXPECT_EQ(MessagesIn(GetParam().line), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    All, StructuredTest,
    ::testing::Values(
        Row{"Zap", R"({"level":"error","ts":1.8,"msg":"no data base here"})",
            Level::kError, "no data base here"},
        Row{"Pino",
            R"({"level":50,"msg":"it went","err":{"stack":"Error: m\n  at x"}})",
            Level::kError, "it went\nError: m\n  at x"},
        Row{"PinoOfAWarning", R"({"level":40,"msg":"it went on"})",
            Level::kBelowError, "it went on"},
        Row{"Logback",
            R"({"level":"WARN","message":"disk full","stack_trace":)"
            R"("java.io.IOException: full\n\tat x"})",
            Level::kBelowError, "disk full\njava.io.IOException: full\n at x"},
        Row{"Hclog", R"({"@level":"error","@message":"no \"way\" in"})",
            Level::kError, "no \"way\" in"},
        Row{"Docker", R"({"log":"KeyError: 'x'\n","stream":"stderr"})",
            Level::kNone, "KeyError: 'x'"},
        Row{"Logrus", R"(time="12:00" level=fatal msg="no \\ way in" n=3)",
            Level::kError, R"(no \ way in)"},
        // Cut off, like log tails.
        Row{"Cut", R"({"severity":"ERROR","message":"no way i)", Level::kError,
            "no way i"},
        // A single word is shown with its key.
        Row{"Words", R"({"level":"error","error":"EOF"})", Level::kError,
            R"({"level":"error","error":"EOF"})"}),
    [](const auto& test) { return test.param.name; });

TEST(StructuredLineTest, OtherLinesAreNot) {
  for (const char* line :
       {"", "plain", "{ a: 1 }", "x level=error msg=\"a b\"", "msg = \"x\""}) {
    EXPECT_FALSE(IsStructured(line)) << line;
  }
}

}  // namespace
}  // namespace mulligan::demystify
