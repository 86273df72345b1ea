#include "gtest/gtest.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

struct VisibleRow {
  const char* text;
  const char* visible;
};

TEST(VisibleTest, ShowsControlAndDeceptiveCharacters) {
  const VisibleRow rows[] = {
      {"", ""},
      {"pod a-0, \xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80",
       "pod a-0, \xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80"},
      {"a\x1b[2Jb", "a\\u001b[2Jb"},
      {"a\nb\x7f", "a\\u000ab\\u007f"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},
      {"\xe2\x80\xaegpj.exe", "\\u202egpj.exe"},
      {"\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069"},
      {"a\xe2\x80\x8b"
       "b",
       "a\\u200bb"},
      {"\xf3\xa0\x80\x81", "\\udb40\\udc01"},
      {"a\xff", "a\xef\xbf\xbd"},
      // Some scripts need joiners.
      {"\xd9\x85\xe2\x80\x8c\xd9\x85", "\xd9\x85\xe2\x80\x8c\xd9\x85"},
  };
  for (const VisibleRow& row : rows) EXPECT_EQ(Visible(row.text), row.visible);
}

TEST(WithoutEscapesTest, RemovesWholeSequencesOnly) {
  const VisibleRow rows[] = {
      {"\x1b[1;31mred\x1b[0m", "red"},
      {"\x1b[2K\x1b[1Gstep 3", "step 3"},
      {"\x1b[?25lhidden", "hidden"},
      {"\x1b]8;;http://a/b\x1b\\link\x1b]8;;\x07", "link"},
      // Truncated, or an escape that no log has.
      {"a\x1b[31", "a\x1b[31"},
      {"a\x1b[ (the exit code)", "a\x1b[ (the exit code)"},
      {"a\x1b]8;;b", "a\x1b]8;;b"},
      {"a\x1b", "a\x1b"},
      {"\x1b[\xc3\xa9", "\x1b[\xc3\xa9"},
  };
  for (const VisibleRow& row : rows) {
    EXPECT_EQ(WithoutEscapes(row.text), row.visible);
  }
  const std::string endless = "\x1b[" + std::string(5000, '1');
  EXPECT_EQ(WithoutEscapes(endless), endless);
}

}  // namespace
}  // namespace mulligan
