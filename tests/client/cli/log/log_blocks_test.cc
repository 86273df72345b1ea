#include "client/cli/log/log_blocks.h"

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusIs;
using testing::TempDir;

std::string Gzipped(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

// The text of all blocks, and their errors.
struct All {
  std::string text;
  std::vector<std::string> errors;
  std::size_t blocks = 0;
};

All ReadAll(const std::vector<std::string>& files) {
  LogBlocks blocks(files);
  LogBlock block;
  All all;
  while (blocks.Next(block)) {
    all.text += block.text;
    ++all.blocks;
    if (!block.error.empty()) {
      all.errors.push_back(files[block.file] + ": " + block.error);
    }
  }
  EXPECT_EQ(blocks.bytes_read(), blocks.bytes());
  return all;
}

class LogBlocksTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return folder_.path() / name;
  }
  TempDir folder_;
};

TEST_F(LogBlocksTest, ReadsPlainAndCompressedFiles) {
  folder_.Write("a", "1\n2\n");
  Gzipped(Path("b.gz"), "3\n4");
  folder_.Write("c", "5\n");
  const All all = ReadAll({Path("a"), Path("b.gz"), Path("c")});
  EXPECT_EQ(all.text, "1\n2\n3\n45\n");
  EXPECT_THAT(all.errors, ElementsAre());
}

TEST_F(LogBlocksTest, BlocksAreWholeLinesWithTheirNumbers) {
  std::string text;
  for (int i = 1; i <= 400'000; ++i) text += std::to_string(i) + "\n";
  folder_.Write("a", text);
  LogBlocks blocks({Path("a")});
  LogBlock block;
  std::size_t count = 0;
  std::string read;
  while (blocks.Next(block)) {
    ++count;
    EXPECT_EQ(block.text.back(), '\n');
    EXPECT_EQ(std::stoul(block.text), block.first_line);
    read += block.text;
  }
  EXPECT_GT(count, 2);
  EXPECT_EQ(read, text);
}

TEST_F(LogBlocksTest, LinesMayBeLongerThanABlock) {
  const std::string text = std::string(3 << 20, 'a') + "\nb\n";
  folder_.Write("a", text);
  EXPECT_EQ(ReadAll({Path("a")}).text, text);
}

TEST_F(LogBlocksTest, SkipsOverlongLines) {
  const std::string before = "1\n2\n";
  const std::string after = std::string(3 << 19, '4') + "\n5\n6";
  folder_.Write("a", before + std::string(66 << 20, '\0') + "\n" + after);
  folder_.Write("b", std::string(66 << 20, '\0'));
  folder_.Write("c", "next\n");
  LogBlocks blocks({Path("a"), Path("b"), Path("c")});
  LogBlock block;
  std::string text;
  std::vector<std::size_t> first_lines;
  std::vector<std::size_t> bad_lines;
  while (blocks.Next(block)) {
    text += block.text;
    first_lines.push_back(block.first_line);
    if (block.error.empty()) continue;
    EXPECT_THAT(block.error, HasSubstr("longer than 67108864 bytes"));
    EXPECT_EQ(block.text, "");
    bad_lines.push_back(block.first_line);
  }
  EXPECT_EQ(text, before + after + "next\n");
  EXPECT_THAT(bad_lines, ElementsAre(3, 1));
  EXPECT_THAT(first_lines, ElementsAre(1, 3, 4, 6, 1, 1));
}

TEST_F(LogBlocksTest, ReadsTruncatedFiles) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  Gzipped(Path("a.gz"), text);
  std::filesystem::resize_file(Path("a.gz"),
                               std::filesystem::file_size(Path("a.gz")) / 2);
  folder_.Write("b", "next\n");
  const All all = ReadAll({Path("a.gz"), Path("b")});
  EXPECT_GT(all.text.size(), text.size() / 3);
  EXPECT_THAT(all.errors, ElementsAre(HasSubstr("a.gz: ")));
  EXPECT_THAT(all.text, ::testing::EndsWith("next\n"));
}

void Append(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
}

TEST_F(LogBlocksTest, ReadsConcatenatedGzipMembers) {
  for (const char* name : {"a.gz", "b.gz"}) Gzipped(Path(name), "1\n2\n");
  std::ostringstream more;
  more << std::ifstream(Path("b.gz"), std::ios::binary).rdbuf();
  for (int i = 0; i < 3; ++i) Append(Path("a.gz"), more.str());
  // Tapes fill their blocks with zeros.
  Append(Path("a.gz"), std::string(1000, '\0'));
  const All all = ReadAll({Path("a.gz")});
  EXPECT_EQ(all.text, "1\n2\n1\n2\n1\n2\n1\n2\n");
  EXPECT_THAT(all.errors, ElementsAre());
}

TEST_F(LogBlocksTest, ReportsBytesAfterTheGzip) {
  const std::string tail(300'000, 'x');
  for (const std::string& bytes :
       {std::string("3\n"), std::string("\0\0\n", 3), tail + "\n"}) {
    Gzipped(Path("a.gz"), "1\n2\n");
    Append(Path("a.gz"), bytes);
    folder_.Write("b", "next\n");
    const All all = ReadAll({Path("a.gz"), Path("b")});
    EXPECT_EQ(all.text, "1\n2\nnext\n");
    EXPECT_THAT(all.errors,
                ElementsAre(HasSubstr("in 1 lines that are not gzip")))
        << bytes.size();
  }
  EXPECT_THAT(ReadAll({Path("a.gz")}).errors,
              ElementsAre(HasSubstr("are 300,001 bytes")));
}

TEST_F(LogBlocksTest, ReadsDamagedGzip) {
  Gzipped(Path("a.gz"), std::string(100, '1') + "\n");
  std::fstream file(Path("a.gz"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-6, std::ios::end);  // inside the checksum
  file << "\x55";
  file.close();
  const All all = ReadAll({Path("a.gz")});
  EXPECT_EQ(all.text, std::string(100, '1') + "\n");
  EXPECT_THAT(all.errors, ElementsAre(HasSubstr("the gzip is damaged")));
}

// 64 KB that unpack to 64 MB; 1.5 MB used to keep a report busy for 40 s.
TEST_F(LogBlocksTest, StopsAtHighCompressionRatios) {
  for (const std::string piece : {"\n", "{}\n", "x"}) {
    std::string text;
    while (text.size() < (64U << 20U)) text += piece;
    const All all = ReadAll({Gzipped(Path("a.gz"), text)});
    EXPECT_LE(all.text.size(), 20U << 20U);
    EXPECT_THAT(
        all.errors,
        ElementsAre(HasSubstr("unpacks to more than 250 times its bytes")));
  }
}

// Short lines take as long, even if they are barely compressed.
TEST_F(LogBlocksTest, ShortLinesCountMoreThanTheirBytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < (20U << 20U)) {
    text += "{}" + std::string(random() % 2, ' ') + "\n";
  }
  const All all = ReadAll({Gzipped(Path("a.gz"), text)});
  EXPECT_LE(all.text.size(), 24U << 20U);
  EXPECT_THAT(all.errors, ElementsAre(HasSubstr("a line counted as 256 more")));
}

// Like a failure that is reported for weeks.
TEST_F(LogBlocksTest, ReadsRepeatedLines) {
  std::string line = "{\"time\":\"2026-11-03T09:07:33Z\",\"request\":{";
  for (int i = 0; i < 100; ++i) line += "\"pod-" + std::to_string(i) + "\":1,";
  std::string text;
  while (text.size() < (32U << 20U)) text += line + "}}\n";
  const All all = ReadAll({Gzipped(Path("a.gz"), text)});
  EXPECT_EQ(all.text, text);
  EXPECT_THAT(all.errors, ElementsAre());
}

TEST_F(LogBlocksTest, ReportsOtherCompressions) {
  for (const auto& [text, says] : {std::pair("\x28\xb5\x2f\xfd..", "zstd -dc"),
                                   std::pair("BZh91AY&SY", "bzip2 -dc")}) {
    folder_.Write("a", text);
    EXPECT_THAT(ReadAll({Path("a")}).errors, ElementsAre(HasSubstr(says)));
  }
}

TEST_F(LogBlocksTest, EmptyFilesHaveNoBlocks) {
  folder_.Write("a", "");
  EXPECT_EQ(ReadAll({Path("a")}).blocks, 0);
  EXPECT_EQ(ReadAll({}).blocks, 0);
}

TEST_F(LogBlocksTest, SearchesFoldersRecursively) {
  for (const char* name : {"log.1", "log", ".hidden", "b/c/log", ".git/log"}) {
    folder_.Write(name, "");
  }
  ASSERT_OK_AND_ASSIGN(const auto files, FindLogs({folder_.path(), "-"}));
  EXPECT_THAT(files,
              ElementsAre(Path("b/c/log"), Path("log"), Path("log.1"), "-"));
  EXPECT_THAT(FindLogs({Path("missing")}).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
}

TEST_F(LogBlocksTest, ReportsUnreadableFilesFirst) {
  folder_.Write("b/log", "\x28\xb5\x2f\xfd..");
  EXPECT_THAT(FindLogs({folder_.path()}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("b/log: is compressed, expected text or")));
}

}  // namespace
}  // namespace mulligan::cli
