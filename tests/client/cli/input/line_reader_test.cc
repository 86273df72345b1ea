#include <sstream>
#include <string>

#include "client/cli/input/requests.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> ReadAll(const std::string& text, size_t bound) {
  std::istringstream stream(text);
  LineReader reader(stream, bound);
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    switch (reader.Next(line)) {
      case LineReader::Result::kLine:
        lines.push_back(line);
        break;
      case LineReader::Result::kTooLong:
        lines.push_back("<too long>" + line);
        break;
      case LineReader::Result::kEnd:
        return lines;
    }
  }
}

TEST(LineReaderTest, SplitsAtLineBreaks) {
  EXPECT_THAT(ReadAll("a\n\nbc\r\nd", 10), ElementsAre("a", "", "bc", "d"));
  EXPECT_THAT(ReadAll("a\n", 10), ElementsAre("a"));
  EXPECT_THAT(ReadAll("\n", 10), ElementsAre(""));
  EXPECT_THAT(ReadAll("", 10), IsEmpty());
}

TEST(LineReaderTest, KeepsZeroBytes) {
  EXPECT_THAT(ReadAll(std::string("a\0b\nc", 5), 10),
              ElementsAre(std::string("a\0b", 3), "c"));
}

TEST(LineReaderTest, SkipsLongLines) {
  EXPECT_THAT(ReadAll("12345\n123456\nx", 5),
              ElementsAre("12345", "<too long>", "x"));
}

// Line, buffer and input end in all combinations around the buffer's size.
TEST(LineReaderTest, JoinsChunks) {
  for (size_t length = (1 << 16) - 3; length <= (1 << 16) + 3; ++length) {
    SCOPED_TRACE(length);
    const std::string line(length, 'x');
    EXPECT_THAT(ReadAll(line + "\nb\n", 1 << 20), ElementsAre(line, "b"));
    EXPECT_THAT(ReadAll(line, 1 << 20), ElementsAre(line));
    EXPECT_THAT(ReadAll(line + "\nb", 100), ElementsAre("<too long>", "b"));
  }
}

}  // namespace
}  // namespace mulligan::cli
