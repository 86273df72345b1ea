#include "policy/base/utf8.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(FindInvalidUtf8Test, KnowsTheInvalidForms) {
  for (const char* const bad :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3",
        "\xe2\x82", "\xc3\x28"}) {
    EXPECT_EQ(FindInvalidUtf8(bad), 0u);
  }
  for (const char* const good :
       {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(FindInvalidUtf8(good), std::string::npos) << good;
  }
  EXPECT_EQ(FindInvalidUtf8("ab\xff"), 2u);
}

TEST(Utf8BoundaryTest, NeverCutsACharacter) {
  constexpr std::string_view kText =
      "a\xe2\x82\xac"
      "b";  // a, euro sign, b
  EXPECT_EQ(Utf8Boundary(kText, 0), 0u);
  EXPECT_EQ(Utf8Boundary(kText, 1), 1u);
  EXPECT_EQ(Utf8Boundary(kText, 2), 1u);
  EXPECT_EQ(Utf8Boundary(kText, 3), 1u);
  EXPECT_EQ(Utf8Boundary(kText, 4), 4u);
  EXPECT_EQ(Utf8Boundary(kText, 99), 99u);
}

struct Utf8Case {
  const char* name;
  std::string text;
  std::string expected;
};

#define REPLACEMENT "\xEF\xBF\xBD"

class SanitizeUtf8Test : public ::testing::TestWithParam<Utf8Case> {};

TEST_P(SanitizeUtf8Test, Replaces) {
  EXPECT_EQ(SanitizeUtf8(GetParam().text), GetParam().expected);
}

// A result is valid, so a second pass changes nothing.
TEST_P(SanitizeUtf8Test, IsIdempotent) {
  const std::string once = SanitizeUtf8(GetParam().text);
  EXPECT_EQ(SanitizeUtf8(once), once);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, SanitizeUtf8Test,
    ::testing::Values(
        Utf8Case{"Empty", "", ""},
        Utf8Case{"Ascii", "Error: exit 1", "Error: exit 1"},
        Utf8Case{"Nul", std::string("a\0b", 3), std::string("a\0b", 3)},
        Utf8Case{"TwoToFourBytes", "\u00e9 \u20ac \U0001F600",
                 "\u00e9 \u20ac \U0001F600"},
        Utf8Case{"LimitsOfEachLength",
                 "\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                 "\xF4\x8F\xBF\xBF",
                 "\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                 "\xF4\x8F\xBF\xBF"},
        Utf8Case{"Latin1", "caf\xE9 closed", "caf" REPLACEMENT " closed"},
        Utf8Case{"LoneContinuation", "\x80", REPLACEMENT},
        Utf8Case{"ImpossibleBytes", "\xFE\xFF", REPLACEMENT REPLACEMENT},
        Utf8Case{"Overlong", "\xC0\xAF", REPLACEMENT REPLACEMENT},
        Utf8Case{"OverlongThreeBytes", "\xE0\x80\xAF",
                 REPLACEMENT REPLACEMENT REPLACEMENT},
        Utf8Case{"Surrogate", "\xED\xA0\x80",
                 REPLACEMENT REPLACEMENT REPLACEMENT},
        Utf8Case{"AboveLastCodePoint", "\xF4\x90\x80\x80",
                 REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT},
        Utf8Case{"CutOffAtTheEnd", "log tail \xF0\x9F\x98",
                 "log tail " REPLACEMENT},
        Utf8Case{"CutOffBeforeAscii",
                 "\xE2\x82"
                 "AB",
                 REPLACEMENT "AB"},
        // Table 3-8 of the Unicode standard.
        Utf8Case{"MaximalSubparts",
                 "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
                 "a" REPLACEMENT REPLACEMENT REPLACEMENT "b" REPLACEMENT
                 "c" REPLACEMENT REPLACEMENT "d"},
        Utf8Case{"AfterALongValidPart", std::string(1000, 'x') + "\xFFy",
                 std::string(1000, 'x') + REPLACEMENT "y"}),
    [](const auto& param_info) { return param_info.param.name; });

// Every byte at every position, so that no step of eight bytes hides one.
TEST(SanitizeUtf8OffsetTest, FindsABadByteAtEveryOffset) {
  for (std::size_t offset = 0; offset < 24; ++offset) {
    std::string text(24, 'x');
    text[offset] = '\xFF';
    std::string expected =
        std::string(offset, 'x') + REPLACEMENT + std::string(23 - offset, 'x');
    EXPECT_EQ(SanitizeUtf8(text), expected) << offset;
  }
}

TEST(IsPrintableAsciiTest, ChecksEveryByte) {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, '~');
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(IsPrintableAscii(text), byte >= 0x20 && byte <= 0x7e)
            << byte << " at " << at << " of " << length;
      }
    }
  }
  EXPECT_TRUE(IsPrintableAscii(""));
}

}  // namespace
}  // namespace mulligan
