#include "tests/testing/files.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(FilesTest, ReadsAFileOfTheRepository) {
  EXPECT_THAT(ReadFile(SourcePath("CMakeLists.txt")),
              IsOkAndHolds(StartsWith("cmake_minimum_required")));
}

TEST(FilesTest, NamesTheFileThatIsMissing) {
  EXPECT_THAT(ReadFile(SourcePath("no/such/file")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/such/file")));
}

TEST(FilesTest, EnvironmentOverridesTheSharedFolder) {
  ASSERT_EQ(setenv("MULLIGAN_SHARED_DIR", SourcePath("cmake").c_str(), 1), 0);
  EXPECT_EQ(SharedDir(), SourcePath("cmake"));
  ASSERT_EQ(setenv("MULLIGAN_SHARED_DIR", "/no/such/folder", 1), 0);
  EXPECT_EQ(SharedDir(), "");
  unsetenv("MULLIGAN_SHARED_DIR");
}

}  // namespace
}  // namespace mulligan::testing
