// Files that tests read.

#ifndef MULLIGAN_TESTS_TESTING_FILES_H_
#define MULLIGAN_TESTS_TESTING_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace mulligan::testing {

// A path inside the repository, for example "tests/testdata/quickstart".
std::filesystem::path SourcePath(std::string_view relative);

// The folder with case and fixture files kept outside the repository:
// environment variable MULLIGAN_SHARED_DIR, else the CMake variable of that
// name. Empty when it does not exist.
std::filesystem::path SharedDir();

// The whole file as bytes; NOT_FOUND when it cannot be opened.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_FILES_H_
