// Files that tests read.

#ifndef MULLIGAN_TESTS_TESTING_FILES_H_
#define MULLIGAN_TESTS_TESTING_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace mulligan::testing {

// A path inside the repository, for example "tests/testdata/quickstart".
std::filesystem::path SourcePath(std::string_view relative);

// The folder with case and fixture files kept outside the repository:
// environment variable MULLIGAN_SHARED_DIR, else the CMake variable of that
// name. Empty when it does not exist; use MULLIGAN_REQUIRE_SHARED first.
std::filesystem::path SharedDir();

// The whole file as bytes; NOT_FOUND when it cannot be opened.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace mulligan::testing

// Skips the running test, visibly, unless SharedDir() has `relative`.
#define MULLIGAN_REQUIRE_SHARED(relative)                                      \
  do {                                                                         \
    const std::filesystem::path shared_dir = ::mulligan::testing::SharedDir(); \
    if (shared_dir.empty() ||                                                  \
        !std::filesystem::exists(shared_dir / (relative))) {                   \
      GTEST_SKIP() << "MULLIGAN_SHARED_DIR has no " << (relative);             \
    }                                                                          \
  } while (false)

#endif  // MULLIGAN_TESTS_TESTING_FILES_H_
