#include "server/observe/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

class LogFileTest : public ::testing::Test {
 protected:
  LogFileTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~LogFileTest() override { std::filesystem::remove_all(folder_); }

  // Returns "" if there is no such file.
  std::string Text(const std::string& suffix = "") const {
    return testing::ReadFile(path_ + suffix).value_or("");
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ / "log";
};

TEST_F(LogFileTest, KeepsTheNewestFiles) {
  LogFile file(path_, 4, 3);
  for (const char* line : {"1\n", "2\n", "3\n", "4\n", "5\n", "6\n", "7\n"}) {
    ASSERT_OK(file.Append(line));
  }
  EXPECT_EQ(Text(), "7\n");
  EXPECT_EQ(Text(".1"), "5\n6\n");
  EXPECT_EQ(Text(".2"), "3\n4\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".3"));
}

TEST_F(LogFileTest, SingleFileIsTruncated) {
  LogFile file(path_, 4, 1);
  for (const char* line : {"1\n", "2\n", "3\n"}) ASSERT_OK(file.Append(line));
  EXPECT_EQ(Text(), "3\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".1"));
}

TEST_F(LogFileTest, LongLineGetsItsOwnFile) {
  LogFile file(path_, 4, 3);
  ASSERT_OK(file.Append("1\n"));
  ASSERT_OK(file.Append("long line\n"));
  ASSERT_OK(file.Append("2\n"));
  EXPECT_EQ(Text(), "2\n");
  EXPECT_EQ(Text(".1"), "long line\n");
  EXPECT_EQ(Text(".2"), "1\n");
}

TEST_F(LogFileTest, AppendsToExistingFile) {
  std::ofstream(path_) << "1\n";
  LogFile file(path_, 4, 3);
  ASSERT_OK(file.Append("2\n"));
  EXPECT_EQ(Text(), "1\n2\n");
  ASSERT_OK(file.Append("3\n"));
  EXPECT_EQ(Text(".1"), "1\n2\n");
}

TEST_F(LogFileTest, ReopensAfterMoveOrRemoval) {
  LogFile file(path_, 100, 3);
  ASSERT_OK(file.Append("1\n"));
  std::filesystem::rename(path_, path_ + ".old");
  ASSERT_OK(file.Append("2\n"));
  EXPECT_EQ(Text(".old"), "1\n");
  EXPECT_EQ(Text(), "2\n");
  std::filesystem::remove(path_);
  ASSERT_OK(file.Append("3\n"));
  EXPECT_EQ(Text(), "3\n");
}

TEST_F(LogFileTest, EndsATornLine) {
  std::ofstream(path_) << "1\n{\"torn";
  LogFile file(path_, 100, 3);
  ASSERT_OK(file.Append("2\n"));
  EXPECT_EQ(Text(), "1\n{\"torn\n2\n");
}

TEST_F(LogFileTest, FullDiskIsAnError) {
  LogFile file("/dev/full", 100, 3);
  ASSERT_OK(file.Open());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(file.Append("1\n"),
                StatusIs(absl::StatusCode::kUnavailable,
                         HasSubstr("No space left on device")));
  }
}

TEST_F(LogFileTest, FindsAFolderCreatedLater) {
  const std::string path = folder_ / "later" / "log";
  LogFile file(path, 100, 3);
  EXPECT_THAT(file.Open(), StatusIs(absl::StatusCode::kUnavailable,
                                    HasSubstr("No such file or directory")));
  EXPECT_FALSE(file.Append("1\n").ok());
  std::filesystem::create_directory(folder_ / "later");
  EXPECT_OK(file.Append("2\n"));
}

TEST_F(LogFileTest, GivesUpOnAnUnreadPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  LogFile file(path_, 100, 3);
  // It holds 64 KiB.
  ASSERT_OK(file.Append(std::string(1000, 'a') + "\n"));
  file.StopWaiting();
  EXPECT_THAT(file.Append(std::string(1 << 20, 'a') + "\n"),
              StatusIs(absl::StatusCode::kUnavailable));
  close(reader);
}

}  // namespace
}  // namespace mulligan
