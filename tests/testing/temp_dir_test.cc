#include "tests/testing/temp_dir.h"

#include <filesystem>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(TempDirTest, GoesWithAllThatItHolds) {
  std::optional<TempDir> dir(std::in_place);
  const fs::path path = dir->path();
  EXPECT_THAT(ReadFile(dir->Write("a/b.txt", "text")), IsOkAndHolds("text"));
  dir.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDirTest, TwoAreNeverTheSame) {
  const TempDir first;
  const TempDir second;
  EXPECT_NE(first.path(), second.path());
}

TEST(TempDirTest, EachTestHasAFolder) {
  EXPECT_THAT(TestFolder().string(), HasSubstr("EachTestHasAFolder"));
  WriteTestFile("x", "old");
  EXPECT_THAT(ReadFile(WriteTestFile("x", "new")), IsOkAndHolds("new"));
}

}  // namespace
}  // namespace mulligan::testing
