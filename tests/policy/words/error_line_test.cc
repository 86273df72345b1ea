#include "policy/words/error_line.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::words {
namespace {

TEST(ErrorLine, IsTheLastLineWithAnError) {
  const struct {
    const char* log;
    const char* line;
  } rows[] = {
      {"ValueError: a\nmore\n[rank3]: pkg.TypeError: b\ndone\n",
       "pkg.TypeError: b"},
      {"26/01/02 03:04:05 ERROR Executor: lost", "Executor: lost"},
      {"[ERROR] disk gone", "disk gone"},
      {"Error: no such frame", "Error: no such frame"},
      {"2026-08-22T11:58:00Z pkg.TypeError: b\n2026-08-22T11:58:01Z bye\n",
       "pkg.TypeError: b"},
      {R"({"severity":"ERROR","message":"it failed","exc":"x\nKeyError: 'a'"})",
       "KeyError: 'a'"},
      {R"(time=12:00 level=error msg="no such frame" frame=3)", ""},
      {R"({"msg":"says no level"})", ""},
      {"all is well\n", ""},
      {"", ""},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(LastErrorLine(row.log), row.line) << row.log;
  }
  const std::string cut =
      LastErrorLine("ValueError: " + std::string(300, 'x') + " tail");
  EXPECT_LE(cut.size(), 204U);
  EXPECT_THAT(cut, ::testing::EndsWith(" ..."));
}

TEST(ErrorLine, IsOtherwiseTheLastLine) {
  EXPECT_EQ(LastLine("first\n[rank3]: the frobnicator is not aligned \n\n"),
            "the frobnicator is not aligned");
  EXPECT_EQ(LastLine("one"), "one");
  EXPECT_EQ(LastLine("E0822 11:58:00.123456       1 main.go:42] no frame\n"),
            "no frame");
  EXPECT_EQ(LastLine(R"({"msg":"says no level"})"), "says no level");
  EXPECT_EQ(LastLine(R"({"step":1})"), R"({"step":1})");
  EXPECT_EQ(LastLine(R"({"asctime":"2026-08-22 11:58:00","level":"error",)"
                     R"("msg":"no data base","err":"refused by x\ny"})"),
            "no data base: refused by x");
  // Of a structured log, the last line of level error.
  EXPECT_EQ(LastLine(R"({"level":"error","msg":"cannot open \"a b\""}
{"level":"info","msg":"bye bye now"})"),
            R"(cannot open "a b")");
  EXPECT_EQ(LastLine("time=12:00 level=error msg=\"no such frame\" frame=3\n"),
            "no such frame");
  EXPECT_EQ(LastLine(" \n"), "");
}

}  // namespace
}  // namespace mulligan::words
